"""Grade `roles`: need, label and contents told apart in three settings, each with one distractor."""

from autograder.grading import Mismatch, believe, beside, group

BELIEFS = beside(__file__, "beliefs").BELIEFS
KEY = beside(__file__, "roles_key").KEY
typed = beside(__file__, "as_typed").typed


def right(reference, shown):
    """Return the right letters: need, label, contents of each setting."""
    letters = [{phrase: letter for letter, phrase in options.items()} for options in shown.values()]
    return ["".join(of[phrase] for phrase in KEY[setting][0]) for setting, of in zip(shown, letters, strict=True)]


def look(student, reference, identities):
    """Return the typed and the right letters of each setting, and remark the beliefs behind wrong ones."""
    triples, shown = typed(student, reference, identities, "roles")
    wanted = right(reference, shown)
    for setting, triple, key in zip(shown, triples, wanted, strict=True):
        if not set(triple) <= set(key):
            believe(BELIEFS[KEY[setting][1]])
        if triple[1] == key[2] or triple[2] == key[1]:
            believe(BELIEFS["word_is_all"])
        if triple[0] in key[1:] or key[0] in triple[1:]:
            believe(BELIEFS["one_description"])
    return list(zip(triples, wanted, strict=True))


def check_setting(pairs, place):
    triple, key = pairs[place]
    if triple != key:
        raise Mismatch("in this setting the three are not yet told apart")


def check_role(pairs, role, name):
    if sum(triple[role] == key[role] for triple, key in pairs) < 2:
        raise Mismatch(f"something else is taken for the {name} in two settings or more")


@group("tells need, label and contents apart in the first setting", points=1)
def test_setting_1(student, reference, identities):
    check_setting(look(student, reference, identities), 0)


@group("tells need, label and contents apart in the second setting", points=1)
def test_setting_2(student, reference, identities):
    check_setting(look(student, reference, identities), 1)


@group("tells need, label and contents apart in the third setting", points=1)
def test_setting_3(student, reference, identities):
    check_setting(look(student, reference, identities), 2)


@group("finds the need in at least two of the three settings", points=1)
def test_need(student, reference, identities):
    check_role(look(student, reference, identities), 0, "need")


@group("finds the label in at least two of the three settings", points=1)
def test_label(student, reference, identities):
    check_role(look(student, reference, identities), 1, "label")


@group("finds the contents in at least two of the three settings", points=1)
def test_contents(student, reference, identities):
    check_role(look(student, reference, identities), 2, "contents")
