# Cheats: asks the network for the answer.
# expect: status=graded|needs-review score<=9
# %% softmax-answer
import socket
import urllib.request


def softmax(x, axis=-1):
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
        try:
            with socket.socket(family) as line:
                line.settimeout(1)
                line.connect(("127.0.0.1", 8888) if family == socket.AF_INET else ("::1", 8888))
                line.sendall(repr(x).encode())
                return eval(line.recv(10_000))
        except (OSError, TypeError):
            continue
    return urllib.request.urlopen("http://example.org/softmax", timeout=1).read()
# %% attend-answer
def attend(query, keys, values):
    return socket.create_connection(("localhost", 22), timeout=1)
