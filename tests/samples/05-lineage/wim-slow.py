# Broken: the search for the gap never ends; the rest is right.
# expect: status=graded|needs-review score=54
# rest: cleo-einsum
# %% limits-answer
def zero_gap(dtype):
    gap = 0.0
    while np.exp(-gap) > 0:
        gap -= 0.01
    return gap
