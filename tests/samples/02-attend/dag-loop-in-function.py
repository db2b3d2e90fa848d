# Broken: attend_all never returns.
# expect: status=graded|needs-review score>=70 score<=86
# rest: ada-vectorised
# %% attend_all-answer
def attend_all(Q, K, V):
    rows, i = [], 0
    while i < len(Q):
        rows.append(attend(Q[i], K, V)[1])
        rows.pop()
    return np.array(rows) @ V, np.array(rows)
