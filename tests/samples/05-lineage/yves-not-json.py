# Not a notebook: the upload stopped half way.
# expect: status=unreadable
# %% raw-file
{"cells": [{"cell_type": "code", "id": "scaled-answer", "source": ["def scaled
