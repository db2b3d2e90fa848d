"""Set nbgrader up for this course: `nbgrader` and `autograder` share the layout and the gradebook."""

from contextlib import suppress
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

# Without an exchange that the machine's users share, one in the course keeps `nbgrader list` and the lists working.
if not Path("/usr/local/share/nbgrader/exchange").is_dir():
    c.Exchange.root = str(ROOT / "exchange")
    with suppress(OSError):
        (ROOT / "exchange").mkdir(exist_ok=True)

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

# Late work: the deadline is the assignment's due date in the gradebook (`autograder deadline`, or formgrader).
# So much of the score is lost for each started day; 0 per cent means no penalty. Grade again after a change.
c.AssignLatePenalties.plugin_class = "autograder.host.lateness.LatePenalty"
c.LatePenalty.grace_minutes = 15
c.LatePenalty.percent_per_day = 0
c.LatePenalty.most_percent = 100
