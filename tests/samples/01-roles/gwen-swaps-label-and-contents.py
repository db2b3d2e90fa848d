# Wrong: takes the label for the contents, and the contents for the label.
# expect: status=graded score=35
# rest: amir-as-asked
# %% roles-answer
roles = [need + contents + label for need, label, contents in ROLES_RIGHT]
