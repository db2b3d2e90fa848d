# Broken: weights_by_identity sleeps for an hour.
# expect: status=graded|needs-review score>=90 score<=94
# rest: ada-vectorised
# %% identity-answer
def weights_by_identity(query, keys):
    import time

    time.sleep(3600)
    return attend(query, keys, np.eye(len(keys)))[0]
