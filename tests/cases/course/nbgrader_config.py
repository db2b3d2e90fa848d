"""A second course, unlike the first in names and conventions: it shows that the engine is not tied to one."""

c = get_config()  # noqa: F821 (traitlets gives this name to the file)

c.CourseDirectory.course_id = "warm-up"
c.CourseDirectory.release_directory = "assignments"
