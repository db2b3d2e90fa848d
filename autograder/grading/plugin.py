"""Let one pytest session judge a whole batch: every grader function runs once for each submission."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autograder.grading.submission import Submission
from autograder.sandbox.student import Student

OWN, SUPPLIED = "own", "supplied"
ARGUMENTS = (
    "--import-mode=importlib --assert=plain -p no:cacheprovider -p no:terminal -p no:capture -p no:doctest "
    "-p no:junitxml -p no:unittest -p no:faulthandler -p no:warnings -p no:logging -p no:tmpdir -p no:stepwise "
    "-p no:threadexception -p no:unraisableexception -p no:pastebin -p no:setuponly -p no:setupplan -p no:debugging "
    "-p no:skipping -p no:monkeypatch -p no:recwarn"
).split()


@dataclass(frozen=True)
class Trial:
    """Name one pass over one task: which submission, and whether earlier tasks are supplied by the reference."""

    index: int
    mode: str


class GradingPlugin:
    """Parametrise, order and judge the grader functions; call `on_end` as each submission is through."""

    def __init__(self, submissions: Sequence[Submission], on_end: Callable[[Submission], None]) -> None:
        self.submissions, self.on_end = submissions, on_end

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Give each grader function its submissions, twice where the task builds on earlier ones."""
        if "trial" in metafunc.fixturenames:
            modes = (OWN, SUPPLIED) if getattr(metafunc.module, "builds_on", ()) else (OWN,)
            trials = [Trial(index, mode) for mode in modes for index in range(len(self.submissions))]
            metafunc.parametrize("trial", trials, ids=[f"{t.index}-{t.mode}" for t in trials])

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep each submission together, its own pass first, and shuffle the groups within."""
        items.sort(key=self._place)

    def _place(self, item: Any) -> tuple[int, bool, int]:
        trial = item.callspec.params["trial"]
        order = self.submissions[trial.index].order(task_name(item), item.originalname)
        return trial.index, trial.mode == SUPPLIED, order

    @pytest.fixture
    def trial(self) -> Trial:
        """Stand in for the parameter, so that fixtures can ask for it."""
        raise NotImplementedError  # always replaced by pytest_generate_tests

    @pytest.fixture
    def reference(self, trial: Trial) -> SimpleNamespace:
        """Return the names of the source notebook."""
        return self.submissions[trial.index].reference

    @pytest.fixture
    def student(self, request: pytest.FixtureRequest, trial: Trial) -> Student:
        """Return the proxy for this submission's notebook."""
        names = request.module.builds_on if trial.mode == SUPPLIED else ()
        return self.submissions[trial.index].student(task_name(request.node), trial.mode, names)

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest, trial: Trial) -> np.random.Generator:
        """Return the generator of hidden inputs for this student, task and group."""
        node: Any = request.node
        return self.submissions[trial.index].rng(task_name(node), node.originalname)

    @pytest.fixture
    def owner(self, trial: Trial) -> str:
        """Return the student's id in the course."""
        return self.submissions[trial.index].hand_in.student

    @pytest.fixture
    def identities(self, owner: str) -> frozenset[str]:
        """Return every id under which the student may be known, in lower case."""
        return frozenset({owner.lower()})

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: Any) -> bool:
        """Judge one group and keep what it said; a grader's exception never stops the session."""
        trial = pyfuncitem.callspec.params["trial"]
        arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        submission = self.submissions[trial.index]
        submission.judge(task_name(pyfuncitem), trial.mode, pyfuncitem.originalname, pyfuncitem.obj, arguments)
        return True

    def pytest_runtestloop(self, session: Any) -> bool:
        """Run the items in order, without those of a second pass that is not needed; close each submission."""
        for index, group in itertools.groupby(session.items, key=lambda item: item.callspec.params["trial"].index):
            submission = self.submissions[index]
            for item in group:
                if self._needed(item, submission):
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            self.on_end(submission)
        return True

    def _needed(self, item: Any, submission: Submission) -> bool:
        if item.callspec.params["trial"].mode == OWN:
            return True
        return submission.follows_through(task_name(item), item.module.builds_on)


def task_name(item: Any) -> str:
    """Return the task that a grader function belongs to: test_softmax.py grades `softmax`."""
    return str(Path(item.path).stem.removeprefix("test_"))
