# Escape from the worker.
# %% E1a quick says=refused | sockets of every family
import socket
for family in range(1, 46):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        attempt(lambda: socket.socket(family, kind))
# %% E1b says=refused | names, addresses and pairs
import socket, urllib.request
attempt(lambda: socket.create_connection(("127.0.0.1", 22), 1))
attempt(lambda: socket.getaddrinfo("example.org", 80))
attempt(lambda: urllib.request.urlopen("http://127.0.0.1/"))
attempt(lambda: socket.create_server(("127.0.0.1", 0)))
attempt(lambda: socket.socketpair(socket.AF_INET))
# %% E1c says=refused | a pair of local sockets, connected to somewhere else
import socket
ours, theirs = socket.socketpair()
for name in ("\0abstract", "/run/dbus/system_bus_socket", "/var/run/docker.sock", CANARY):
    attempt(lambda: ours.connect(name) or True)
    attempt(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"x", name))
    attempt(lambda: ours.bind(name) or True)
# %% E1d says=refused | asynchronous servers
import asyncio
async def serve():
    return await asyncio.start_server(lambda *args: None, "127.0.0.1", 0)
try:
    print("BREACH" if (await serve()).sockets else "refused")
except OSError:
    print("refused")
# %% E1e quick says=refused | sends to a socket file that everybody may write to
import socket
mailbox = os.path.join(os.path.dirname(CANARY), "mailbox")
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
    for send in (lambda s: s.sendto(b"BREACH", mailbox), lambda s: s.sendmsg([b"BREACH"], [], 0, mailbox)):
        try:
            print("sent", send(socket.socketpair(socket.AF_UNIX, kind)[0]))  # what counts is what arrives
        except OSError:
            print("refused")
# %% E2a quick says=refused | starts programs
import subprocess
attempt(lambda: (None, True)[os.system("true") == 0])
attempt(lambda: subprocess.run(["/bin/sh", "-c", "true"]))
attempt(lambda: os.posix_spawn(sys.executable, [sys.executable], {}))
attempt(lambda: os.execv(sys.executable, [sys.executable, "-c", "print('BREACH')"]))
attempt(lambda: os.popen("true").read())
# %% E2b says=refused | starts programs by libc and by system call
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for number in (56, 57, 58, 435):  # clone, fork, vfork, clone3 on x86-64
    attempt(lambda: (None, True)[libc.syscall(number, 17, 0, 0, 0, 0) >= 0])
attempt(lambda: (None, True)[libc.system(b"true") == 0])
attempt(lambda: (None, True)[libc.execl(b"/bin/true", b"true", None) == 0])
attempt(lambda: (None, True)[libc.daemon(0, 0) == 0])
# %% E2c says=refused | a program in memory
attempt(lambda: os.memfd_create("x"))
with open("program", "wb") as file:
    file.write(b"#!/bin/sh\ntrue\n")
attempt(lambda: os.chmod("program", 0o755) or os.execv("./program", ["x"]))
# %% E3a quick says=refused | namespaces and mounts
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for flag in (0x10000000, 0x20000, 0x20000000, 0x40000000, 0x8000000, 0x4000000, 0x2000000, 0x80):
    attempt(lambda: (None, True)[libc.unshare(flag) == 0])
attempt(lambda: (None, True)[libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0])
attempt(lambda: (None, True)[libc.umount2(b"/proc", 2) == 0])
attempt(lambda: (None, True)[libc.pivot_root(b"/", b"/") == 0] if hasattr(libc, "pivot_root") else None)
attempt(lambda: os.chroot(".") or True)
# %% E3b says=refused | other namespaces by file
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
attempt(lambda: libc.setns(os.open(f"/proc/{GRADER}/ns/mnt", os.O_RDONLY), 0) == 0 or None)
for number in (428, 429, 430, 431, 432, 433, 442, 467):  # open_tree move_mount fsopen fsconfig fsmount fspick ...
    attempt(lambda: (None, True)[libc.syscall(number, -100, b"/", 0, 0, 0) >= 0])
# %% E4 says=refused | system calls that have been holes
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for number in (425, 321, 298, 323, 248, 250, 101, 310, 311, 434, 438, 304, 303, 135, 175, 246, 169, 139, 163):
    attempt(lambda: (None, True)[libc.syscall(number, 1, 1, 1, 1, 1) >= 0])
# %% E5 says=refused | becomes somebody else
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for call in (os.setuid, os.setgid, os.seteuid, os.setegid):
    attempt(lambda: call(0) or True)
attempt(lambda: os.setgroups([0]) or True)
class Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]
header, data = Header(0x20080522, 0), (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
attempt(lambda: (None, True)[libc.capset(ctypes.byref(header), ctypes.byref(data)) == 0])
libc.capget(ctypes.byref(header), ctypes.byref(data))
print("BREACH", list(data)) if data[0] & ~4 or data[1] & ~4 or data[3] & ~4 else print("refused")
# %% E6a says=refused | links to outside
for make in (os.symlink, os.link):
    attempt(lambda: make(CANARY, "link") or open("link").read())
attempt(lambda: os.symlink("/", "root") or os.listdir("root/root"))
attempt(lambda: os.rename(CANARY, "mine") or True)
# %% E6b quick says=refused | changes and deletes what lies outside
for what in (lambda: open(CANARY, "a"), lambda: os.unlink(CANARY) or True, lambda: os.rename("x", CANARY) or True,
             lambda: os.truncate(CANARY, 0) or True, lambda: os.mkdir(f"{COURSE}/evil") or True,
             lambda: os.rmdir(REPORTS) or True, lambda: open(f"{REPORTS}/x", "w"), lambda: open(sys.executable, "r+")):
    attempt(what)
# %% E6c says=refused | changes what Landlock does not see
for what in (lambda: os.chmod(CANARY, 0) or True, lambda: os.utime(CANARY, (1, 1)) or True,
             lambda: os.chown(CANARY, os.getuid(), os.getgid()) or True, lambda: os.chmod(COURSE, 0) or True,
             lambda: os.setxattr(CANARY, "user.x", b"x") or True, lambda: os.removexattr(CANARY, "user.x") or True):
    attempt(what)
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for number in (452, 463, 466, 469):  # fchmodat2 setxattrat removexattrat file_setattr
    attempt(lambda: (None, True)[libc.syscall(number, -100, CANARY.encode(), 0, 0, 0) == 0])
# %% E7a quick says=refused | signals to everyone, to the grader, to its parent
import signal
for target in (-1, GRADER, os.getppid() or 1, 0, 1):
    for number in (0, signal.SIGKILL, signal.SIGTERM):
        attempt(lambda: os.kill(target, number) or True)
attempt(lambda: os.killpg(0, 9) or True)
# %% E7b says=refused | signals by way of a file's owner
import fcntl, socket
ours, theirs = socket.socketpair()
for command, value in ((8, GRADER), (10, 9)):
    attempt(lambda: fcntl.fcntl(ours, command, value) or True)
attempt(lambda: fcntl.ioctl(ours, 0x8901, GRADER.to_bytes(4, "little")) or True)
# %% E7c says=refused | signals by newer calls
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for number, args in ((434, (GRADER, 0)), (424, (3, 9, 0, 0)), (129, (GRADER, 9, 0)), (200, (GRADER, 9)), (234, (GRADER, GRADER, 9))):
    attempt(lambda: (None, True)[libc.syscall(number, *args) >= 0])
# %% E7d says=refused | outlives its parent
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
attempt(lambda: (None, True)[libc.prctl(1, 0, 0, 0, 0) == 0])
attempt(lambda: os.setsid())
attempt(lambda: os.setpgid(0, 0) or True)
# %% E8 last | system calls of other instruction sets
import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=7)
code.write(b"\xb8\x02\x00\x00\x00\xcd\x80\xc3")  # mov eax, 2 (fork); int 0x80; ret
print("refused before")
result = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
print("BREACH" if result >= 0 else "refused")
# %% E8b last | system calls of the x32 kind
import ctypes
print("refused before")
print("BREACH" if ctypes.CDLL(None).syscall(0x40000000 + 57) >= 0 else "refused")
# %% E9a quick | reads from address 1
import ctypes
everywhere(lambda *args, **kwargs: ctypes.string_at(1))
# %% E9b | writes over its own stack and heap
import ctypes
def smash(*args, **kwargs):
    ctypes.memset(id(args), 0x41, 100_000)
everywhere(smash)
# %% E10 says=refused | reads and writes the memory of others
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(64)
for pid in (GRADER, os.getppid(), 1):
    attempt(lambda: (None, True)[libc.ptrace(16, pid, 0, 0) == 0])
    attempt(lambda: (None, True)[libc.process_vm_readv(pid, buffer, 1, buffer, 1, 0) >= 0])
    attempt(lambda: open(f"/proc/{pid}/mem", "r+b"))
# %% E12 says=refused | types into the terminal
import fcntl
for number in (0, 1, 2):
    attempt(lambda: fcntl.ioctl(number, 0x5412, b"x") or True)
    attempt(lambda: fcntl.ioctl(number, 0x541C, b"x") or True)
attempt(lambda: os.open("/dev/tty", os.O_RDWR))
# %% E13 says=refused | takes back its filters
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
attempt(lambda: (None, True)[libc.prctl(38, 0, 0, 0, 0) == 0])
attempt(lambda: (None, True)[libc.prctl(22, 0, 0, 0, 0) == 0])
attempt(lambda: open("/proc/self/attr/current", "w"))
attempt(lambda: open("/proc/sys/kernel/core_pattern", "w"))
# %% E14 quick page | terminal escapes and commands to continuous integration
print("\x1b]0;owned\x07\x1b[2J\x1b[31m::error::owned\r\n::set-output name=score::100\n##[error]owned")
raise ValueError("\x1b[2J\x1b]8;;http://x\x07 ok \n::error file=x::owned\n::set-env name=PATH::/x\u202e")
# %% E15 quick page | markup, scripts and styles
print("<script>alert(1)</script> [bold red]x[/] **x** :boom:")
raise ValueError("<img src=x onerror=alert(1)> [link=http://x]y[/link] ![x](http://x)")
# %% E21 says=refused | changes Python and the packages for those who come later
import numpy
for folder in (os.path.dirname(os.__file__), os.path.dirname(numpy.__file__), os.path.dirname(sys.modules["wire"].__file__)):
    attempt(lambda: open(os.path.join(folder, "evil.py"), "w"))
    attempt(lambda: open(os.path.join(folder, "__init__.py"), "r+"))
    attempt(lambda: os.mkdir(os.path.join(folder, "__pycache__", "x")) or True)
# %% E22 says=refused | memory shared between processes
import ctypes, multiprocessing.shared_memory
attempt(lambda: multiprocessing.shared_memory.SharedMemory("x", create=True, size=100))
libc = ctypes.CDLL(None, use_errno=True)
attempt(lambda: (None, True)[libc.shmget(1, 100, 0o1600) >= 0])
attempt(lambda: (None, True)[libc.semget(1, 1, 0o1600) >= 0])
attempt(lambda: (None, True)[libc.msgget(1, 0o1600) >= 0])
# %% E23 | sends file descriptors over the channel
import array, socket
def send(*args, **kwargs):
    the_channel().sendmsg([b"x" * 8], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
everywhere(send)
