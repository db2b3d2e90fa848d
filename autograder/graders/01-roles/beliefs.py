"""What people believe about attention who choose a wrong option: one entry each, with what speaks against it."""

from autograder.grading import Fault

_ALL = (
    Fault(
        "winner_takes_all",
        "This answer fits the belief that the best match takes all and the others are shut out.",
        "Of two words, one that matches and one that does not, the second still gives a little.",
    ),
    Fault(
        "replaced",
        "This answer fits the belief that the asking word is replaced by the word it finds.",
        "“it” that finds “cat” stays “it”: it now carries a mixture, most of which came from “cat”.",
    ),
    Fault(
        "all_equal",
        "This answer fits the belief that everybody gets the same, whether it matches or not.",
        "Of two words, one that matches and one that does not, the first gets nearly everything.",
    ),
    Fault(
        "confidence",
        "This answer fits the belief that a share tells how sure the model is.",
        "A share of nine tenths is like nine spoons of flour to one of sugar: a recipe, no promise that it tastes.",
    ),
    Fault(
        "explanation",
        "This answer fits the belief that the shares explain why the model gave its answer.",
        "They tell which of two words the mixture came from, not what the model went on to do with it.",
    ),
    Fault(
        "nearer",
        "This answer fits the belief that words get more the nearer they stand.",
        "Only need and label meet in the matching: a word that moves one place further off keeps its share.",
    ),
    Fault(
        "earlier",
        "This answer fits the belief that of two equal words the earlier one gets more.",
        "“the” and “the” have the same label, match equally well, and get equal shares.",
    ),
    Fault(
        "place_keeps_share",
        "This answer fits the belief that shares belong to places, so that they stay behind when words move.",
        "When two words change places, each takes its label and with it its share along.",
    ),
    Fault(
        "nothing_comes_out",
        "This answer fits the belief that nothing comes out when no label meets the need.",
        "Two words that match equally badly get one half each: the shares always make one whole.",
    ),
    Fault(
        "nothing_for_the_rest",
        "This answer fits the belief that words that do not match get exactly nothing.",
        "Of two words, one that matches and one that does not, the second gets little, yet never nothing.",
    ),
    Fault(
        "query_changes_labels",
        "This answer fits the belief that the need changes the labels.",
        "When “it” first asks for something alive and then for something to drink, “cat” is labelled alive both times.",
    ),
    Fault(
        "word_is_all",
        "This answer fits the belief that label and contents are the same because the word is the same.",
        "The sticker on a spice jar says “pepper”, but what is shaken out is not a sticker.",
    ),
    Fault(
        "one_description",
        "This answer fits the belief that one description can do all the jobs.",
        "Wanting something sour, the sticker on the jar and the powder inside are three things, not one.",
    ),
    Fault(
        "label_stays",
        "This answer fits the belief that a word wins for what it is, whatever its label says.",
        "When two jars trade stickers, whoever reads the stickers now takes the other jar.",
    ),
    Fault(
        "contents_matched",
        "This answer fits the belief that needs are compared with contents, or that contents decide the shares.",
        "You read the stickers of two jars to choose one; what is inside plays no part until you have chosen.",
    ),
    Fault(
        "people_write",
        "This answer fits the belief that people write the needs, the labels or the rules.",
        "Nobody told the model that “cat” is alive: it worked that out from examples.",
    ),
    Fault(
        "running_summary",
        "This answer fits the belief that attention reads from a running summary.",
        "From the last of two words, the first can be looked at directly, as it stands.",
    ),
)
BELIEFS = {belief.id: belief for belief in _ALL}
