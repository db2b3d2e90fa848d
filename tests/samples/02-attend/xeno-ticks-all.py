# Wrong: ticks every statement of reading; all else is right.
# expect: status=graded score=92
# rest: fay-classes
# %% reading-answer
reading = list("ABCDEFGHIJKL")
