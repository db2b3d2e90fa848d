"""Take in downloads from learning platforms, and put each hand-in where nbgrader expects it."""

from autograder.collect.place import Row, collect

__all__ = ["Row", "collect"]
