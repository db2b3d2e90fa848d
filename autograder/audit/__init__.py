"""Prove the graders of the course: the gate that course content passes before students meet it."""
