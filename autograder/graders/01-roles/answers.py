"""Answers to `01-roles` as people type them: right ones in many forms, wrong ones with the belief behind them.

Nearly everything is drawn per student, so right answers come from `drawn`, and the wrong ones below are for the student
whose id is ada. What they hold is worked out by the graders, from the keys and by running attention.
"""

import contextlib
import io
import json
from pathlib import Path
from types import SimpleNamespace

from autograder.grading import beside

COURSE_ROOT = Path(__file__).resolve().parents[3]
RELEASE = COURSE_ROOT / "assignments" / "01-roles" / "01-roles.ipynb"
TASKS = ("roles", "order", "flip", "recipe", "shuffle", "nobody", "statements", "build")

TABLE = """
word    | label           | contents
hungry  | mood            | an empty stomach
owls    | alive, feathery | birds that hunt at night
watch   | action          | eyes wide open
the     | filler          | next to nothing
moon    | shining         | a pale light
"""
TABLE_AND_NEEDS = f"{TABLE}need: alive\nneed: shining"
ROWS = [tuple(part.strip() for part in line.split("|")) for line in TABLE.strip().splitlines()[1:]]

RIGHT = {
    "build": {
        "table": f'build = """{TABLE_AND_NEEDS}\n"""',
        "no_heading_and_upper_case": 'build = """'
        + "\n".join(" | ".join(row) for row in ROWS)
        + '\n\nNEED: SHINING\nNeed : Feathery, alive\n"""',
        "strokes_at_both_ends": 'build = """\n|word|label|contents|\n|---|---|---|\n'
        + "\n".join(f"|{'|'.join(row)}|" for row in ROWS)
        + '\n| need: mood |\n| need: action |\n"""',
        "tabs": 'build = """\n' + "\n".join("\t".join(row) for row in ROWS) + '\nneed 1: filler\nneed 2: mood\n"""',
        "list_of_rows": f"build = {[*ROWS, 'need: alive', 'need: action']!r}",
        "list_of_lines": f"build = {[*map(' | '.join, ROWS), 'need: alive', 'need: action']!r}",
        "eight_words_one_of_them_twice": '''build = """
word | label | contents
the | filler | nothing much
river | wet, long | water on its way
past | place | being beside
the | filler | nothing much
bank | money, stone | a house full of coins
was | filler | being, but earlier
slow | pace, wet | taking its time
now | time | this moment
need: wet, long
need: money, pace, stone
"""''',
        "half_a_match_wins": '''build = """
word | label | contents
big | size | a lot of room
dogs | alive, loud | animals that bark
eat | action | chewing
small | size | little room
pies | food | crust and apples
need: loud, furry
need: food, warm
"""''',
    }
}


def drawn(task, reference, owner):
    """Return right answers in every form that is accepted, for the questions that `owner` is shown."""
    if task == "build":
        return {}
    key = beside(__file__, f"test_{task}").right(reference, reference.variant(owner, task))
    head = f"student_id = {owner!r}\n{_prediction(task, reference, owner)}{task} = "
    return {style: f"{head}{form!r}" for style, form in FORMS[task](key).items()}


def _prediction(task, reference, owner):
    """Return the line of a prediction, which need not come true."""
    if task == "flip":
        return f"flip_prediction = {reference.variant(owner, task)['words'][1:3]!r}\n"
    return "nobody_prediction = 'c'\n" if task == "nobody" else ""


FORMS = {
    "roles": lambda key: {
        "list": key,
        "tuple_in_lower_case": tuple(triple.lower() for triple in key),
        "one_text": " ".join(key),
        "letter_by_letter": [list(triple) for triple in key],
        "commas_in_the_text": [", ".join(triple) + " " for triple in key],
        "dict": dict(zip(("first", "second", "third"), key, strict=True)),
    },
    "order": lambda key: {
        "text": key,
        "lower": key.lower(),
        "list": list(key),
        "tuple": tuple(key.lower()),
        "arrows": " -> ".join(key),
        "text_in_a_list": [key],
    },
    "flip": lambda key: {
        "list": key,
        "tuple": tuple(key),
        "text": ", ".join(key),
        "capitals": [f" {word.title()} " for word in key],
    },
    "recipe": lambda key: {
        "text": key,
        "list": list(key),
        "tuple_in_lower_case": tuple(key.lower()),
        "spaces": f" {key[0]}  &  {key[1]} ",
        "dict": {1: key[0], 2: key[1]},
    },
    "shuffle": lambda key: {
        "list": key,
        "tuple": tuple(key),
        "fractions": [share / 100 for share in key],
        "percent_signs": [f"{share} %" for share in key],
        "text": ", ".join(map(str, key)),
        "decimals": [float(share) for share in key],
    },
    "nobody": lambda key: {"letter": key, "lower": key.lower(), "list": [key], "spaces": f" {key}. "},
    "statements": lambda key: {
        "list": key,
        "lower_case_tuple": tuple(pair.lower() for pair in key),
        "pairs": [(pair[0] == "T", int(pair[1])) for pair in key],
        "words": [f"{'True' if pair[0] == 'T' else 'False'}, {pair[1]}" for pair in key],
        "one_text": " ".join(key),
        "dict": {place: pair for place, pair in enumerate(key, start=1)},
    },
}


def _setup():
    """Run the set-up cell of the release, which draws the questions."""
    cells = json.loads(RELEASE.read_text(encoding="utf-8"))["cells"]
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec("".join(next(cell["source"] for cell in cells if cell["id"] == "variants")), names)
    return SimpleNamespace(**names)


REFERENCE = _setup()
SHOWN = {task: REFERENCE.variant("ada", task) for task in TASKS if task != "build"}
KEY = {task: beside(__file__, f"test_{task}").right(REFERENCE, SHOWN[task]) for task in SHOWN}


EQUIVALENT = {
    "flip": {f"flip_prediction = {SHOWN['flip']['words'][2:0:-1]!r}": "any two words of the sentence will do"},
    "build": {f"build = {TABLE_AND_NEEDS!r}": "a line end after the last line says nothing"},
}


def _ada(**answers):
    return "\n".join([f"{name} = {value!r}" for name, value in {"student_id": "ada", **answers}.items()])


def _roles(change):
    """Return ada's answer to `roles`, each setting's (need, label, contents, distractor) changed."""
    return _ada(roles=["".join(change(*key, *(set("ABCD") - set(key)))) for key in KEY["roles"]])


def _order(change):
    """Return ada's answer to `order`, changed from the right letters and the two false ones."""
    return _ada(order=change(KEY["order"], "".join(sorted(set("ABCDEFGH") - set(KEY["order"])))))


def _recipe(*chosen):
    """Return ada's answer to `recipe` when a belief, or None for the truth, chooses for each need."""
    held = beside(__file__, "test_recipe").held(REFERENCE, SHOWN["recipe"])
    letters = [{name: letter for letter, name in beliefs.items()} for beliefs in held]
    return _ada(recipe="".join(of[name] for of, name in zip(letters, chosen, strict=True)))


def _flip(*words):
    return _ada(flip_prediction=words, flip=words)


def _moved_label_alone():
    """Return the right word for the need whose label has moved, twice."""
    return [KEY["flip"][SHOWN["flip"]["asked"].index(SHOWN["flip"]["needs"][0])]] * 2


def _old_shares():
    return [round(share) for share in 100 * REFERENCE.shares(SHOWN["shuffle"]["need"], SHOWN["shuffle"]["labels"])]


def _shuffle(change):
    """Return ada's answer to `shuffle`, changed; `change` is given whether the word stands twice, and its share."""
    words = SHOWN["shuffle"]["shuffled"]
    seen = [words[:place].count(word) for place, word in enumerate(words)]
    twice = [words.count(word) == 2 for word in words]
    return _ada(shuffle=[change(*entry) for entry in zip(twice, seen, KEY["shuffle"], strict=True)])


def _reason(belief):
    """Return ada's answer to `nobody` when a belief chooses, if her reasons offer it."""
    wrong = beside(__file__, "nobody_key").WRONG
    return [letter for letter, reason in SHOWN["nobody"]["reasons"].items() if wrong.get(reason) == belief]


def _statements(change):
    return _ada(statements=[change(*pair) for pair in KEY["statements"]])


def _wrong_at(key, place, entry):
    """Return the key with one entry changed."""
    return [*key[:place], entry, *key[place + 1 :]]


_SETTINGS = tuple(f"test_setting_{place}" for place in (1, 2, 3))
_STATEMENTS = tuple(f"test_statement_{place}" for place in range(1, 7))

WRONG = {
    "roles": {
        "word_is_all": ((*_SETTINGS, "test_label", "test_contents"), _roles(lambda n, lab, c, d: (n, c, lab))),
        "one_description": ((*_SETTINGS, "test_need", "test_label"), _roles(lambda n, lab, c, d: (lab, n, c))),
        "distractor_for_label": ((*_SETTINGS, "test_label"), _roles(lambda n, lab, c, d: (n, d, c))),
        **{
            f"label_and_contents_swapped_in_setting_{place + 1}": (
                (_SETTINGS[place],),
                _ada(roles=_wrong_at(KEY["roles"], place, key[0] + key[2] + key[1])),
            )
            for place, key in enumerate(KEY["roles"])
        },
        "letter_too_few": ((*_SETTINGS, "test_need"), _ada(roles=[key[:2] for key in KEY["roles"]])),
        "one_letter_thrice": ((*_SETTINGS, "test_need"), _ada(roles=["AAA", "BBB", "CCC"])),
    },
    "order": {
        "backwards": (("test_ends", "test_middle", "test_order"), _order(lambda key, false: key[::-1])),
        "false_step_first": (
            ("test_left_out", "test_ends", "test_order"),
            _order(lambda key, false: false[0] + key[1:]),
        ),
        "false_step_inside": (
            ("test_left_out", "test_middle", "test_order"),
            _order(lambda key, false: key[:3] + false[1] + key[4:]),
        ),
        "two_neighbours_swapped": (
            ("test_middle", "test_order"),
            _order(lambda key, false: key[:2] + key[3] + key[2] + key[4:]),
        ),
        "all_eight": (("test_left_out", "test_ends", "test_order"), _order(lambda key, false: key + false)),
    },
    "flip": {
        "label_stays": (
            ("test_moved_label", "test_both"),
            _flip(*beside(__file__, "test_flip").winners(REFERENCE, SHOWN["flip"], SHOWN["flip"]["labels"])),
        ),
        "needs_swapped": (("test_moved_label", "test_both"), _flip(*KEY["flip"][::-1])),
        "moved_label_alone": (("test_both",), _flip(*_moved_label_alone())),
        "not_in_the_sentence": (("test_prediction", "test_moved_label", "test_both"), _flip("cat", "milk")),
        "one_word": (("test_prediction", "test_moved_label", "test_both"), _flip(KEY["flip"][0])),
    },
    "recipe": {
        **{
            belief: (("test_first", "test_second", "test_both"), _recipe(belief, belief))
            for belief in ("winner_takes_all", "replaced", "all_equal")
        },
        "first_alone": (("test_second", "test_both"), _recipe(None, "replaced")),
        "second_alone": (("test_first", "test_both"), _recipe("winner_takes_all", None)),
        "one_letter": (("test_first", "test_second", "test_both"), _ada(recipe=KEY["recipe"][0])),
    },
    "shuffle": {
        "place_keeps_share": (("test_copies", "test_others"), _ada(shuffle=_old_shares())),
        "earlier": (("test_copies",), _shuffle(lambda twice, seen, share: share + (10 - 20 * seen) * twice)),
        "nearer": (("test_copies",), _shuffle(lambda twice, seen, share: share - (10 - 20 * seen) * twice)),
        "nothing_for_the_rest": (("test_copies", "test_others"), _shuffle(lambda twice, seen, share: 50 * twice)),
        "all_equal": (("test_copies", "test_others"), _ada(shuffle=[12.5] * 8)),
    },
    "nobody": {
        belief: (("test_reason",), _ada(nobody_prediction="A", nobody=letter))
        for belief in beside(__file__, "beliefs").BELIEFS
        for letter in _reason(belief)
    },
    "statements": {
        "verdicts_turned": (
            (*_STATEMENTS, "test_verdicts"),
            _statements(lambda verdict, idea: "TF"[verdict == "T"] + idea),
        ),
        "ideas_off_by_one": (_STATEMENTS, _statements(lambda verdict, idea: verdict + str(int(idea) % 7 + 1))),
        **{
            f"other_idea_for_statement_{place + 1}": (
                (_STATEMENTS[place],),
                _ada(statements=_wrong_at(KEY["statements"], place, pair[0] + str(int(pair[1]) % 7 + 1))),
            )
            for place, pair in enumerate(KEY["statements"])
        },
        "verdicts_alone": ((*_STATEMENTS, "test_verdicts"), _statements(lambda verdict, idea: verdict)),
    },
    "build": {
        "contents_matched": (
            ("test_winners", "test_two_words"),
            f'build = """{TABLE}need: a pale light\nneed: an empty stomach\n"""',
        ),
        "word_is_all": (("test_winners", "test_two_words"), f'build = """{TABLE}need: owls\nneed: moon\n"""'),
        "one_winner": (("test_two_words",), f'build = """{TABLE}need: alive\nneed: feathery\n"""'),
        "two_words_tie": (
            ("test_winners", "test_two_words"),
            f'build = """{TABLE}need: alive\nneed: mood, action\n"""',
        ),
        "four_words": (
            ("test_winners", "test_two_words"),
            f"build = {[*ROWS[:4], 'need: alive', 'need: action']!r}",
        ),
        "one_need": (("test_winners", "test_two_words"), f'build = """{TABLE}need: alive\n"""'),
        "label_handed_over": (
            ("test_contents",),
            f"build = {[(word, label, label) for word, label, _ in ROWS] + ['need: alive', 'need: action']!r}",
        ),
        "same_word_twice": (
            ("test_two_words",),
            'build = """\nbank | river | wet grass\nBank | money | coins\na | filler | nothing\n'
            'in | place | being there\ntown | houses | streets\nneed: river\nneed: money\n"""',
        ),
    },
}
