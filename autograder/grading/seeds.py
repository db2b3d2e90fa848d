"""Draw hidden inputs that nobody can predict without the course secret."""

import hashlib
import hmac
import os
import secrets
from pathlib import Path

import numpy as np

from autograder.bundle import MANIFEST, SECRET_FILE


def course_secret(root: Path) -> bytes:
    """Return AUTOGRADER_SECRET, else the secret of this course's own file, made at first use (mode 0600).

    A bundle brings its own, whatever the environment says.
    """
    from_environment = os.environ.get("AUTOGRADER_SECRET", "").strip()
    if from_environment and not (root / MANIFEST).is_file():
        return from_environment.encode()
    path = root / SECRET_FILE
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32))
    except FileExistsError:
        pass
    return path.read_bytes().strip()


def seed(secret: bytes, *parts: str) -> int:
    """Return the keyed seed of these words as an integer."""
    return int.from_bytes(hmac.digest(secret, "\0".join(parts).encode("utf-8", "replace"), hashlib.sha256)[:16], "big")


def generator(secret: bytes, *parts: str) -> np.random.Generator:
    """Return a NumPy generator on the keyed seed of these words."""
    return np.random.default_rng(seed(secret, *parts))


def fingerprint(secret: bytes, *parts: str) -> str:
    """Return a name for the seed that tells equal seeds apart but gives no seed away."""
    return hashlib.sha256(b"fingerprint" + seed(secret, *parts).to_bytes(16, "big")).hexdigest()[:16]
