"""The key of `reading`: which statements about attention weights hold, and what a wrong tick believes.

The notebook's set-up cell holds the same statements, sorted, and nothing else. Ten hold and ten do not, and
twelve are drawn, so that every student meets at least two of each kind.
"""

KEY: dict[str, tuple[bool, str]] = {
    "A large weight tells where the blend took its content from.": (
        True,
        "That much a weight does show: how much of each value went into the blend.",
    ),
    "A map of the weights shows why the model gave its answer.": (
        False,
        "Weights say which values went into a blend; what the model then made of it, they cannot say.",
    ),
    "A second query may favour another word although no key has changed.": (
        True,
        "The lesson's two runs do this: same keys, another query, another winner.",
    ),
    "A weight of 0.886 means that 88.6 percent of the blend is that word's value.": (
        True,
        "A weight is a mixing proportion: read the weights as a recipe.",
    ),
    "A weight of 0.886 means that the model is right 88.6 times in 100.": (
        False,
        "A weight is a share of a mixture and says nothing about being right.",
    ),
    "A word that stands further away from the asking word gets a smaller weight.": (
        False,
        "No distance enters the calculation: only query and key do.",
    ),
    "A word whose score is 0 gets the weight 0.": (
        False,
        "Scores of 0 still earned 0.016 in the lesson's run: e to the power 0 is 1, not 0.",
    ),
    "Doubling every score leaves the weights as they were.": (
        False,
        "Doubled scores lie further apart, so the winner gains; adding 1 to each would change nothing.",
    ),
    "Each word gets some weight, even the one that matches worst.": (
        True,
        "On paper softmax gives no finite score a share of nothing.",
    ),
    "If no word matches the query better than another, the blend is all zeros.": (
        False,
        "Equal scores give equal weights, so the plain average of the values comes out.",
    ),
    "If the scores are all equal, the blend is the plain average of the values.": (
        True,
        "Equal scores mean equal shares, and equal shares make an average.",
    ),
    "New values change the blend but leave the weights alone.": (
        True,
        "Weights come from query and keys; values enter only afterwards.",
    ),
    "Of two copies of one word, the earlier copy gets the larger weight.": (
        False,
        "The same word has the same key, hence the same score and the same weight, wherever it stands.",
    ),
    "Shuffling the words, keys and values together, leaves the blend as it was.": (
        True,
        "Each word keeps its share, and a sum does not care about order.",
    ),
    "The blend can be a vector that none of the words has as its value.": (
        True,
        "It is a mixture, and a mixture need not equal any of its parts.",
    ),
    "The entries of the blend always add up to 1.": (
        False,
        "The weights do, the blend need not: in the lesson its entries add up to 0.951.",
    ),
    "The weight of a word depends on its value as well as on its key.": (
        False,
        "Weights come from query and keys; the value is only what is handed over.",
    ),
    "The weights of one query add up to 1.": (
        True,
        "Softmax turns the scores into fractions of one whole.",
    ),
    "The word that asks is replaced by the word with the largest weight.": (
        False,
        "Nothing is copied or replaced: a blend of all the values comes out.",
    ),
    "Two copies of one word get the same weight.": (
        True,
        "The same word has the same key, hence the same score and the same weight.",
    ),
}
