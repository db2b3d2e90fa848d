# Right: knows some Python and writes the table as a list.
# expect: status=graded score=40
# rest: amir-as-asked
# %% build-answer
build = [
    ("my", "owner", "whose it is"),
    ("sister", "person, family", "a girl who laughs a lot"),
    ("found", "action, past", "something that was lost"),
    ("three", "number", "one more than two"),
    ("coins", "money, metal", "enough for an ice cream"),
    ("today", "time", "between yesterday and tomorrow"),
    "need: Family",
    "need: metal, money",
]
