# Wrong: no id typed, so only the sentence of one's own can count.
# expect: status=graded score=6
# rest: amir-as-asked
# %% student-id
student_id = ""
