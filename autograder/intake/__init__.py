"""Find hand-ins and read them: what arrives becomes cells and findings, or one sentence that says why not.

Nothing here changes a file: every repair is made in memory, with a finding that names it.
"""

from autograder.intake.files import MAX_BYTES, SUFFIXES, TIMESTAMP, Unreadable, companions
from autograder.intake.find import HandIn, find_hand_ins, parse_timestamp, read_timestamp
from autograder.intake.notebook import Cell, Notebook, Rival
from autograder.intake.read import read_notebook

__all__ = [
    "MAX_BYTES",
    "SUFFIXES",
    "TIMESTAMP",
    "Cell",
    "HandIn",
    "Notebook",
    "Rival",
    "Unreadable",
    "companions",
    "find_hand_ins",
    "parse_timestamp",
    "read_notebook",
    "read_timestamp",
]
