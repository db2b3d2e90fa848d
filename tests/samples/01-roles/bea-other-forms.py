# Right: lower case, one text for everything, spaces here and there.
# expect: status=graded score=40
# rest: amir-as-asked
# %% roles-answer
roles = " , ".join(ROLES_RIGHT).lower()
# %% order-answer
order = list(ORDER_RIGHT.lower())
# %% flip-answer
flip = ", ".join(FLIP_RIGHT).upper()
# %% recipe-answer
recipe = tuple(RECIPE_RIGHT)
# %% shuffle-answer
shuffle = " ".join(f"{share}%" for share in SHUFFLE_RIGHT)
# %% nobody-answer
nobody = [NOBODY_RIGHT.lower()]
# %% statements-answer
statements = " ".join(STATEMENTS_RIGHT).lower()
