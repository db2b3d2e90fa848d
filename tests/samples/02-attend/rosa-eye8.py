# Wrong: the identity is the lesson's eight by eight, whatever the sentence.
# expect: status=graded score>=94 score<99
# rest: ada-vectorised
# %% identity-answer
def weights_by_identity(query, keys):
    return attend(query, keys, np.eye(8))[0]
