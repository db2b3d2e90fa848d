"""Make the seccomp filter that each worker loads last: no new processes, no exec, no sockets, no signals."""

import contextlib
import errno
import tempfile
from functools import cache
from typing import Any

from autograder.errors import SandboxError

DENIED = """
fork vfork execve execveat ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp kill tkill
tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal pidfd_getfd socket connect bind listen accept
accept4 mount umount2 pivot_root chroot setns unshare fsopen fsmount fsconfig fspick move_mount open_tree mount_setattr
open_by_handle_at name_to_handle_at keyctl add_key request_key bpf perf_event_open userfaultfd io_uring_setup
io_uring_enter io_uring_register init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff
memfd_create memfd_secret shmget shmat shmctl msgget msgsnd semget semop mq_open personality setuid setgid setreuid
setregid setresuid setresgid setgroups setfsuid setfsgid capset mknod mknodat acct quotactl quotactl_fd fanotify_init
inotify_init inotify_init1 inotify_add_watch syslog sethostname setdomainname setpriority ioprio_set sched_setaffinity
sched_setparam sched_setscheduler sched_setattr migrate_pages move_pages ioperm iopl modify_ldt setpgid setsid prlimit64
setrlimit lookup_dcookie vhangup nfsservctl settimeofday clock_settime adjtimex clock_adjtime
""".split()
# What Landlock does not see. Needed where a student's code runs as the user whose files lie around: level kernel.
DENIED_ON_PATHS = """
truncate chmod fchmod fchmodat chown lchown fchown fchownat utime utimes futimesat utimensat setxattr lsetxattr
fsetxattr removexattr lremovexattr fremovexattr
""".split()
NEWER = {"fchmodat2": 452, "setxattrat": 463, "removexattrat": 466, "open_tree_attr": 467, "file_setattr": 469}
THREAD, AF_UNIX, PR_SET_PDEATHSIG = 0x00010000, 1, 1
ADDRESSED = (2, 3)  # SOCK_DGRAM, SOCK_RAW: even one of a pair can send to any address
# A file's owner gets a signal of the caller's choice when the file is ready: signals by another road.
OWNERS = {"fcntl": (8, 10, 15), "ioctl": (0x8901, 0x8902)}  # F_SETOWN F_SETSIG F_SETOWN_EX; FIOSETOWN SIOCSPGRP
TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI TIOCLINUX: type into the terminal


def _library() -> Any:
    try:
        import pyseccomp
    except (ImportError, OSError, RuntimeError) as error:
        raise SandboxError(f"libseccomp was not found ({error}).", "sudo apt-get install libseccomp2") from None
    return pyseccomp


@cache
def program(shared_files: bool) -> bytes:
    """Return the BPF program; `shared_files` says whether the machine's own files are there to be changed.

    Calls that this architecture does not know are left out; those that libseccomp may be too old to know have numbers.
    """
    seccomp = _library()
    refuse = seccomp.ERRNO(errno.EPERM)
    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    names: list[str | int] = [*DENIED, *(DENIED_ON_PATHS if shared_files else ())]
    for name in [*names, *NEWER.values()]:
        with contextlib.suppress(OSError, ValueError):
            rules.add_rule(refuse, name)
    rules.add_rule(refuse, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, THREAD, 0))
    rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
    rules.add_rule(refuse, "socketpair", seccomp.Arg(0, seccomp.NE, AF_UNIX))
    for kind in ADDRESSED:
        rules.add_rule(refuse, "socketpair", seccomp.Arg(1, seccomp.MASKED_EQ, 0xF, kind))
    rules.add_rule(refuse, "prctl", seccomp.Arg(0, seccomp.EQ, PR_SET_PDEATHSIG))
    for name, requests in {**OWNERS, "ioctl": (*OWNERS["ioctl"], *TERMINAL_INPUT)}.items():
        for request in requests:
            rules.add_rule(refuse, name, seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFFFFFF, request))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
