"""The key of `nobody`: the reasons that hold, and the belief behind each that does not."""

RIGHT: frozenset[str] = frozenset(
    {
        "A share depends on how far a word's match is ahead of the others', and here none is ahead.",
        "All words match the need equally badly, and equal matches earn equal shares.",
        "Every comparison came out the same, and one whole cut by equal scores falls into equal parts.",
        "The shares weigh the matches against one another, and no match is better than another here.",
    }
)
WRONG: dict[str, str] = {
    "A share shows how sure the model is, and here it is not sure at all.": "confidence",
    "All words hold the same contents, whatever their labels say.": "contents_matched",
    "All words stand at the same distance from the word that asks.": "nearer",
    "All words were copied, as no single one could be.": "replaced",
    "Each word hands over the same contents, so each gets the same share.": "contents_matched",
    "Each word was given its share by the people who built the model.": "people_write",
    "Equal bars are the model's way of saying that it does not know.": "confidence",
    "Every word was turned down, so nothing comes out and the bars are only a frame.": "nothing_comes_out",
    "Experts set the shares by hand in such a case.": "people_write",
    "Nobody was picked, so the blend is empty and every word counts as nothing.": "nothing_comes_out",
    "One word did win, and its neighbours were given the same as it.": "nearer",
    "Somebody wrote a rule for needs that no label meets.": "people_write",
    "The bars stand for confidence, which was shared out evenly.": "confidence",
    "The earlier words lost what they had ahead, because the need was too far away.": "earlier",
    "The labels were adapted to the need, and fit it equally well now.": "query_changes_labels",
    "The model doubts all words in equal measure.": "confidence",
    "The need has changed the labels until they were all alike.": "query_changes_labels",
    "The need has overwritten all labels with its own.": "query_changes_labels",
    "With no match there is no outcome, so what is drawn here means nothing.": "nothing_comes_out",
    "Words that do not match get exactly nothing, and nothing is the same for all.": "nothing_for_the_rest",
}
