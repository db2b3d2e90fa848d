"""Errors that a person can act on."""


class AutograderError(Exception):
    """Say what went wrong, where, and what to do next; the command exits with 2."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class CourseError(AutograderError):
    """Report course material that does not fit together (notebook, graders, points)."""


class SandboxError(AutograderError):
    """Report that student code cannot be run safely on this machine."""
