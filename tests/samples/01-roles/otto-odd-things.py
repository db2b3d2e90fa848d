# Broken: every kind of thing that is no answer.
# expect: status=graded score=0
# %% student-id
student_id = "otto-odd-things"
# %% roles-answer
roles = {"A": {"B": {"C": {"D": {"E": {}}}}}}
# %% order-answer
order = 10 ** 5000
# %% flip-prediction
flip_prediction = float("nan")
# %% flip-answer
flip = "word " * 100_000
# %% recipe-answer
recipe = [[[[[[["A"]]]]]], print, {1, 2}]
# %% shuffle-answer
shuffle = [-1, 1e300, 3, True, None, 1, 1, 1]
# %% nobody-prediction
nobody_prediction = "maybe"
# %% nobody-answer
nobody = object()
# %% statements-answer
statements = np.zeros((1000, 1000))
# %% build-answer
build = "|" * 5000 + "need:" * 1000
