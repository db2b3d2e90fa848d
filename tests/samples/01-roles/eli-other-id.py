# Right, but for the questions of somebody else: graded on those that were shown, and reported.
# expect: status=needs-review score=40
# rest: amir-as-asked
# %% student-id
student_id = "amir-as-asked"
