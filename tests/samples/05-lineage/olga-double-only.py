# Wrong: the gap is that of double precision for every format.
# expect: status=graded score=54
# rest: bela-loops
# %% limits-answer
def zero_gap(dtype): return 1075 * np.log(2)
