# Abuse the channel.
# %% P1 quick | junk
everywhere(lambda *args, **kwargs: the_channel().send(os.urandom(4096)))
# %% P2 quick | a length of 2^32 - 1
everywhere(lambda *args, **kwargs: the_channel().send(b"\xff" * 8 + b"x" * 100))
# %% P3a | replies sent ahead, in a cell
for number in range(1, 200):
    sys.modules["wire"].send(the_channel(), sys.modules["wire"].encode({"id": number, "value": True, "mutated": []}, None))
# %% P3b | replies sent ahead, in a call
def ahead(*args, **kwargs):
    for number in range(1, 200):
        sys.modules["wire"].send(the_channel(), sys.modules["wire"].encode({"id": number, "value": 1.0}, None))
everywhere(ahead)
# %% P4 quick | a million levels of nesting
everywhere(raw_reply(b"\x92\xa1l\x91" * 200_000 + b"\xc0"))
# %% P5 quick | a shape that promises 2^78 numbers
everywhere(raw_reply(pack(["a", "<f8", [1 << 40, 1 << 38], 0])))
# %% P6 | arrays of objects
everywhere(raw_reply(pack(["a", "|O8", [1], 0]), b"x" * 8))
# %% P7 | one byte a second
import time
def drip(*args, **kwargs):
    for byte in b"\x10\0\0\0\0\0\0\0" + b"x" * 16:
        the_channel().send(bytes([byte]))
        time.sleep(1)
everywhere(drip)
# %% P8a | closes the channel
everywhere(lambda *args, **kwargs: os.close(3))
# %% P8b | closes its side of the channel and goes on
import socket, time
def shut(*args, **kwargs):
    the_channel().shutdown(socket.SHUT_WR)
    time.sleep(1000)
everywhere(shut)
# %% P9 | never reads what it is sent
import time
def deaf(*args, **kwargs):
    the_channel().send(b"\x01\0\0\0\0\0\0\0\xc0")
    time.sleep(1000)
everywhere(deaf)
# %% P10 | replies with other ids
everywhere(raw_reply(pack(["d", [["id", 7777], ["value", True]]])))
# %% P11 | calls back to what it was never given
everywhere(raw_reply(pack(["d", [["callback", 0], ["args", ["l", []]], ["kwargs", ["d", []]]]])))
# %% P12a quick | a handle that it was never given
everywhere(raw_reply(pack(["d", [["id", 1], ["value", ["h", 999, "function"]]]])))
# %% P12b | answers with handles for ever
everywhere(lambda *args, **kwargs: object())
# %% P13 | error kinds and texts of its own making
everywhere(raw_reply(pack(["d", [["id", 1], ["error", ["d", [["kind", "<script>"], ["message", "\x1b[2J" * 1000], ["line", -5]]]]]])))
# %% P14 | extension types
everywhere(raw_reply(b"\xd4\x05x"))
# %% P15 | text that is no text
everywhere(raw_reply(b"\xa4\xff\xfe\xfd\xfc"))
# %% P16 | halves of characters
everywhere(lambda *args, **kwargs: "\ud800\udfff" * 10)
# %% P17 | True in place of the number 1
everywhere(raw_reply(pack(["d", [["id", True], ["value", 1.0]]])))
# %% P18 quick | arrays that share their bytes
everywhere(raw_reply(pack(["l", [["a", "<f8", [1 << 20], 0]] * 500]), bytes(8 << 20)))
# %% P19 | maps and keys that are none
everywhere(raw_reply(pack(["d", [[["l", []], 1]]])))
# %% P20 | half a frame
def half(*args, **kwargs):
    the_channel().send(b"\x64\0\0\0\0\0\0\0half")
    os._exit(0)
everywhere(half)
# %% P21 | a masked array whose mask does not fit
everywhere(raw_reply(pack(["M", ["a", "<f8", [1], 0], ["a", "|b1", [8], 0]]), bytes(8)))
# %% P22 | says that nothing went wrong, without an id
everywhere(raw_reply(pack(["d", [["missing", False], ["value", ["a", "<f8", [2], 0]]]]), bytes(16)))
