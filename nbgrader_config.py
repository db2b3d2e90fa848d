"""Set nbgrader up for this course: `nbgrader` and `autograder` share the layout and the gradebook."""

from pathlib import Path

from nbgrader.preprocessors import ClearSolutions

from autograder.host.converters import install

c = get_config()  # noqa: F821 (traitlets gives this name to the file)

ROOT = Path(__file__).resolve().parent

c.CourseDirectory.course_id = "qkv"
c.CourseDirectory.root = str(ROOT)
c.CourseDirectory.directory_structure = "{nbgrader_step}/{student_id}/{assignment_id}"
c.CourseDirectory.source_directory = "source"
c.CourseDirectory.release_directory = "assignments"
c.CourseDirectory.submitted_directory = "submitted"
c.CourseDirectory.db_url = f"sqlite:///{ROOT / 'gradebook.db'}"

# A stub that raises would stop "run all" at the first open task; the check below a stub says what is unmet.
c.ClearSolutions.code_stub = {
    **ClearSolutions.class_traits()["code_stub"].default(),
    "python": "# YOUR CODE HERE\n...",
}

# The stock exporter writes 0.0 for what was never graded; this one leaves it blank.
c.ExportApp.plugin_class = "autograder.host.exporter.GradesCsv"

# `nbgrader autograde` and formgrader grade with the engine of this course; no kernel is started.
install()
c.Autograde.sanitize_preprocessors = []
c.Autograde.autograde_preprocessors = [
    "autograder.host.converters.SaveRecord",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# Late work: the deadline is the assignment's due date in the gradebook. 0 per cent a day means no penalty.
c.AssignLatePenalties.plugin_class = "autograder.host.lateness.LatePenalty"
c.LatePenalty.grace_minutes = 15
c.LatePenalty.percent_per_day = 0
c.LatePenalty.most_percent = 100
