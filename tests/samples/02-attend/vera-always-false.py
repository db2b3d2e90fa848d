# Wrong: check_attend refuses everything.
# expect: status=graded score=88
# rest: bela-loops
# %% testing-answer
def check_attend(candidate):
    return False
