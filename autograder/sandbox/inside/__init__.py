"""The only files of this package that the sandbox mounts."""
