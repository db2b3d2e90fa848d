# Partly: stopped after the third task.
# expect: status=graded score=16
# %% roles-answer
roles = ROLES_RIGHT
# %% order-answer
order = ORDER_RIGHT
# %% flip-prediction
flip_prediction = FLIP_RIGHT
# %% flip-answer
flip = FLIP_RIGHT
