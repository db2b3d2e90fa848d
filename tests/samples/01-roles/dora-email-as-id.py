# Right: typed an e-mail address where the id is asked for.
# expect: status=graded score=40
# rest: amir-as-asked
# %% student-id
student_id = " Dora-Email-As-Id@school.example "
