# Partly done: only the written answer, which is for a person to mark, so nothing is earned yet.
# expect: status=graded score=0
# %% reflection
Because the matrix in the middle need not be symmetric. If both roles share one matrix it is, and then every pair looks at
each other equally much.
