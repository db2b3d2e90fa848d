# Not handed in: the folder holds a note, but no notebook.
# expect: status=not-graded
# file: README.txt
# %% raw-file
I'll hand it in tomorrow, promise!
