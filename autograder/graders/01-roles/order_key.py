"""The key of `order`: the six true steps of each story in their order, and the belief behind each false one."""

KEY: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "“bank” in: the bank by the river was muddy": (
        (
            "“bank” forms a question: what sort of place is meant here?",
            "The question meets the label of “river”, of “muddy” and of all other words.",
            "Good meetings get a high score, poor ones a low score.",
            "Out of the scores comes a recipe: a fraction for each word, one whole in all.",
            "The recipe is applied: each word pours in its fraction of what it holds.",
            "What was poured in is now one blend, which “bank” takes along.",
        ),
        {
            "Each label is rewritten until it suits the question.": "query_changes_labels",
            "Only the best match is allowed to pour, and the rest stay shut.": "winner_takes_all",
        },
    ),
    "“he” in: the boy thanked the waiter because he was kind": (
        (
            "“he” puts a question: who here can be kind?",
            "Word by word, the labels are checked against the question.",
            "A mark records how good each fit was.",
            "Marks are converted into weights that add up to one.",
            "Weights in hand, the contents are collected, more of some and less of others.",
            "The collected amounts are summed up, and “he” moves on richer than before.",
        ),
        {
            "One description of each word is made to do all three jobs.": "one_description",
            "The contents of the winner are copied whole, and nothing else comes in.": "winner_takes_all",
        },
    ),
    "“it” in: the cat drank the milk because it was thirsty": (
        (
            "“it” works out what it is looking for: something alive.",
            "That need is held against the label of every word.",
            "Each comparison leaves a number, higher where need and label fit better.",
            "The numbers become shares that together make one whole.",
            "From each word's contents as much is taken as its share says.",
            "The portions are put together, and “it” carries the mixture on.",
        ),
        {
            "The word “it” is crossed out, and “cat” is written in its place.": "replaced",
            "Words that stand closer to “it” have their share raised.": "nearer",
        },
    ),
    "“light” in: the bag was light enough to carry": (
        (
            "“light” sets out with a need: is this about weight or about lamps?",
            "The need goes round and is matched with one label after another.",
            "How well it matched is noted as a figure for every word.",
            "The figures are rescaled into percentages that make up 100.",
            "The percentages decide how much of each word's contents is drawn off.",
            "“light” ends up holding a mix of everything that was drawn off.",
        ),
        {
            "Of two equal words, the first has its percentage doubled.": "earlier",
            "The percentages report how sure the model is, and the unsure ones are dropped.": "confidence",
        },
    ),
    "“star” in: the star sang her last song": (
        (
            "“star” wants to know whether it shines in the sky or on a stage.",
            "What it wants is laid beside each label in the sentence.",
            "Close pairs earn many points, distant pairs earn few.",
            "The points are turned into parts of one whole, which tell each word how much to give.",
            "Each word gives the part of its contents that it has been told to give.",
            "The parts flow together into what “star” now carries.",
        ),
        {
            "A running summary is read from the first word to the last.": "running_summary",
            "The contents of each word are searched in place of its label.": "contents_matched",
        },
    ),
    "“they” in: the birds left the trees because they were hungry": (
        (
            "“they” asks for something that can be hungry.",
            "The asking is compared with what birds, trees and all the others advertise.",
            "The outcome of every comparison is written down as a score.",
            "A high score becomes a big slice, a low one a small slice.",
            "Every word hands over its contents, cut down to its slice.",
            "What was handed over is added up and stays with “they”.",
        ),
        {
            "A person goes over the asking and corrects it by hand.": "people_write",
            "Words without a match are struck off and get no slice at all.": "nothing_for_the_rest",
        },
    ),
}
