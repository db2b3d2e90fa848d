# Not a notebook: the upload stopped half way.
# expect: status=unreadable
# %% raw-file
{"cells": [{"cell_type": "code", "execution_count": null, "id": "softmax-answer", "metadata": {}, "outputs": [], "source": ["def softmax(x, ax
