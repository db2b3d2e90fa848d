#!/usr/bin/env bash
# Makes the environment that grades; Gradescope runs this once, as root, when the image is built.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="${AUTOGRADER_ROOT:-$(dirname "$here")}"

good() { "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    for name in python3.13 python3.12 python3.11 python3; do
        if good "$name"; then echo "$name"; return; fi
    done
    return 1
}

if ! python="$(find_python)"; then
    apt-get update
    apt-get install -y python3 python3-venv
    python="$(find_python)" || { echo "Python 3.11 is needed: choose Ubuntu 24.04 as the base image." >&2; exit 1; }
fi
"$python" -m venv "$root/venv"
cd "$here"
"$root/venv/bin/python" -m pip install -q -c constraints.txt -r requirements.txt
