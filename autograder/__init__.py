"""Grade notebooks on attention with hidden graders and a sandbox."""

__version__ = "0.1.0"
