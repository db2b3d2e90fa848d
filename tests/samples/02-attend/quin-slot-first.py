# Wrong: the new slot stands in front, the query asks at the end.
# expect: status=graded score>=90 score<98
# rest: ada-vectorised
# %% plural-answer
def add_plural_slot(E, is_plural):
    E_plural = np.column_stack([np.asarray(is_plural, dtype=float), np.asarray(E, dtype=float)])
    query = np.zeros(E_plural.shape[1])
    query[-1] = 4
    return E_plural, query
