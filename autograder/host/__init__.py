"""Meet nbgrader: release, gradebook, export."""
