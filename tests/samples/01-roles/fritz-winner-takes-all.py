# Wrong: believes that the winner takes all, in the pictures and in the shuffle.
# expect: status=graded score=32
# rest: amir-as-asked
# %% recipe-answer
recipe = "".join(
    next(letter for letter, (times, _) in pictures.items() if times > 1)
    for pictures in variant(student_id, "recipe")["pictures"]
)
# %% shuffle-answer
shuffle = [50 * (share > 20) for share in SHUFFLE_RIGHT]
