"""The key of `statements`: whether each holds, which idea settles it, and the belief behind the other verdict."""

DIRECT = "Each word can look back at every other word at once, where older models kept one running summary."
EVERYBODY = "Everybody gets a little: the shares make one whole, and no share is nothing at all."
THREE = "Need, label and contents are three things: need and label make the shares, contents are handed over."
LEARNT = "Needs, labels and contents are learnt from examples; nobody writes them."
RECIPE = "Shares are a recipe for mixing, neither a confidence nor a reason."
NO_ORDER = "The matching does not see word order: the same word gets the same share in any place."
BLEND = "What comes out is a blend: no word is copied or replaced."

KEY: dict[str, tuple[bool, str, str]] = {
    "A need that no label meets makes nothing come out.": (False, EVERYBODY, "nothing_comes_out"),
    "A new need can favour another word although no label has changed.": (True, THREE, "query_changes_labels"),
    "A person decided that “cat” should be labelled as alive.": (False, LEARNT, "people_write"),
    "A picture of the shares shows why the model gave its answer.": (False, RECIPE, "explanation"),
    "A share of 60 percent is a statement about mixing, not about being right.": (True, RECIPE, "confidence"),
    "A share of 90 percent means that the model is right nine times out of ten.": (False, RECIPE, "confidence"),
    "A word can look straight at another one that stands a hundred words back.": (True, DIRECT, "running_summary"),
    "A word that does not match the need gets exactly nothing.": (False, EVERYBODY, "nothing_for_the_rest"),
    "After looking around, “it” may carry something that equals no single word of the sentence.": (
        True,
        BLEND,
        "winner_takes_all",
    ),
    "All the shares of one need add up to one whole.": (True, EVERYBODY, "nothing_comes_out"),
    "Attention swaps “it” for the word that it stands for.": (False, BLEND, "replaced"),
    "Because cat is cat, its label and its contents are one and the same.": (False, THREE, "word_is_all"),
    "By the time attention reaches the last word, the first ones survive only in a summary.": (
        False,
        DIRECT,
        "running_summary",
    ),
    "Changing what a word hands over changes its share.": (False, THREE, "contents_matched"),
    "Even the word that matches worst gives a little of its contents.": (True, EVERYBODY, "nothing_for_the_rest"),
    "Experts write down a list of needs for each word.": (False, LEARNT, "people_write"),
    "Models before attention squeezed all that they had read into one summary.": (True, DIRECT, "running_summary"),
    "Moving a word closer to the word that asks raises its share.": (False, NO_ORDER, "nearer"),
    "Of two copies of one word, the earlier copy gets the larger share.": (False, NO_ORDER, "earlier"),
    "Shuffling the words of a sentence leaves each word's share as it was.": (True, NO_ORDER, "place_keeps_share"),
    "The larger the biggest share, the more the answer can be trusted.": (False, RECIPE, "confidence"),
    "The word that asks is deleted once its match has been found.": (False, BLEND, "replaced"),
    "Trained on other examples, a model could label the same word otherwise.": (True, LEARNT, "people_write"),
    "Two words with the same label can hand over different contents.": (True, THREE, "word_is_all"),
}
