# Wrong: check_attend accepts everything.
# expect: status=graded score=88
# rest: ada-vectorised
# %% testing-answer
def check_attend(candidate):
    return True
