# Wrong: the memory is addressed by plain dot products.
# expect: status=graded score>=50 score<56
# rest: ada-vectorised
# %% ntm-answer
def content_address(key, memory, beta):
    key, memory = np.asarray(key, dtype=float), np.asarray(memory, dtype=float)
    norms, own = np.linalg.norm(memory, axis=1), np.linalg.norm(key)
    lengths = norms * own
    lengths = np.where(lengths > 0, lengths, 1)
    cos = memory @ key
    return softmax(beta * cos)
