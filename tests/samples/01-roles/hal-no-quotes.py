# Wrong: leaves the quotes out, so that two cells stop.
# expect: status=graded score=30
# rest: amir-as-asked
# %% order-answer
order = ABCDEF
# %% recipe-answer
recipe = (A, B)
