"""Gradescope's autograder zip: what is in it, and what runs there."""

from autograder.gradescope.build import build_zip

__all__ = ["build_zip"]
