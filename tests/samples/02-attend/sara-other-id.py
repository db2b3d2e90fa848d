# Right, but with somebody else's id typed in: graded on the statements that were shown, and reported.
# expect: status=needs-review score=100
# rest: ada-vectorised
# %% student-id
student_id = "someone.else@example.org"
