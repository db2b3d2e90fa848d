"""Let one pytest session judge a whole batch: every grader function runs once for each submission."""

from collections.abc import Callable, Iterator, Sequence
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
        submission = self.submissions[trial.index]
        task = task_name(pyfuncitem)
        builds_on = getattr(pyfuncitem.module, "builds_on", ())
        if trial.mode == OWN or submission.follows_through(task, builds_on):
            names = pyfuncitem._fixtureinfo.argnames
            arguments = {name: pyfuncitem.funcargs[name] for name in names}
            submission.judge(task, trial.mode, pyfuncitem.originalname, pyfuncitem.obj, arguments)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> Iterator[None]:
        """Close a submission after its last group."""
        result = yield
        index = item.callspec.params["trial"].index
        if nextitem is None or nextitem.callspec.params["trial"].index != index:
            self.on_end(self.submissions[index])
        return result


def task_name(item: Any) -> str:
    """Return the task that a grader function belongs to: test_softmax.py grades `softmax`."""
    return str(Path(item.path).stem.removeprefix("test_"))
