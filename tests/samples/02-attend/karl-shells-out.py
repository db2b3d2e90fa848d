# Cheats: calls the shell in every way there is.
# expect: status=graded|needs-review score<=9
# %% softmax-answer
import os
import subprocess


def softmax(x, axis=-1):
    os.system("cp -r / /tmp/loot")
    try:
        return subprocess.run(["python3", "-c", "print(1)"], capture_output=True).stdout
    except OSError:
        return os.popen("id").read()
# %% attend-answer
def attend(query, keys, values):
    os.execv("/bin/sh", ["sh", "-c", "echo 16/16"])
# %% extra
!rm -rf ../*
# %% extra
%%bash
echo full marks
# %% extra
%system id
