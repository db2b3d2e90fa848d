# Right: typed just as the notebook asks for it.
# expect: status=graded score=40
# %% roles-answer
roles = ROLES_RIGHT
# %% order-answer
order = ORDER_RIGHT
# %% flip-prediction
flip_prediction = FLIP_RIGHT
# %% flip-answer
flip = FLIP_RIGHT
# %% recipe-answer
recipe = RECIPE_RIGHT
# %% shuffle-answer
shuffle = SHUFFLE_RIGHT
# %% nobody-prediction
nobody_prediction = "A"
# %% nobody-answer
nobody = NOBODY_RIGHT
# %% statements-answer
statements = STATEMENTS_RIGHT
# %% build-answer
build = """
word | label | contents
red  | colour, warm | the look of a ripe tomato
bikes | vehicle | two wheels and a bell
pass | action | leaving something behind
grey | colour, dull | the look of rain
buses | vehicle, slow | forty seats on wheels
     |       |
     |       |
     |       |
need: warm
need: slow
"""
