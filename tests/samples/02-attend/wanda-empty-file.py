# Not a notebook: nothing in it.
# expect: status=unreadable
# %% raw-file
