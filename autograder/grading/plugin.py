"""Let one pytest session judge a whole batch: collect the grader functions once, run them for each submission."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from autograder.errors import AutograderError, CourseError
from autograder.grading.submission import Mode, Submission

ARGUMENTS = (
    "--import-mode=importlib --assert=plain -p no:cacheprovider -p no:terminal -p no:capture -p no:doctest "
    "-p no:junitxml -p no:unittest -p no:faulthandler -p no:warnings -p no:logging -p no:tmpdir -p no:stepwise "
    "-p no:threadexception -p no:unraisableexception -p no:pastebin -p no:setuponly -p no:setupplan -p no:debugging "
    "-p no:skipping -p no:monkeypatch -p no:recwarn"
).split()

PROVIDERS: dict[str, Callable[[Submission, str, Mode, str, Sequence[str]], Any]] = {
    "student": lambda submission, task, mode, group, names: submission.student(task, mode, names),
    "reference": lambda submission, task, mode, group, names: submission.reference,
    "rng": lambda submission, task, mode, group, names: submission.rng(task, group),
    "owner": lambda submission, task, mode, group, names: submission.hand_in.student,
    "identities": lambda submission, task, mode, group, names: frozenset({submission.hand_in.student.lower()}),
}


class GradingPlugin:
    """Judge the collected groups for each submission in turn; call `on_end` as each submission is through.

    What goes wrong in the engine itself with one submission goes to `on_error`, and the others go on.
    """

    def __init__(
        self,
        submissions: Iterable[Submission],
        on_end: Callable[[Submission], None],
        on_error: Callable[[Submission, Exception], None] | None = None,
    ) -> None:
        self.submissions, self.on_end, self.on_error = submissions, on_end, on_error
        self.failure: Exception | None = None  # what ended the batch: the sandbox or the disk, not a submission

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Refuse a grader that asks for something that nobody provides."""
        for item in items:
            unknown = {*item._fixtureinfo.argnames, *_asked_by(_shared(item))} - PROVIDERS.keys()
            unknown -= {*_parameters(item), *(("shared",) if _shared(item) else ())}
            if unknown:
                raise CourseError(
                    f"{item.path}: {item.name} asks for {', '.join(sorted(unknown))}.",
                    f"A grader can ask for {', '.join(PROVIDERS)}.",
                )

    def pytest_runtestloop(self, session: Any) -> bool:
        """Run every group for every submission, in an order of that submission's own."""
        for submission in self.submissions:
            try:
                for item, mode in _passes(session.items, submission):
                    judge(item, submission, mode)
                self.on_end(submission)
            except Exception as error:
                if self.on_error is None or isinstance(error, (AutograderError, OSError)):
                    self.failure = error
                    return True
                self.on_error(submission, error)
        return True


def _passes(items: Sequence[Any], submission: Submission) -> Iterator[tuple[Any, Mode]]:
    """Yield the groups shuffled, fresh ones first; then those of tasks to be tried again.

    That is with earlier tasks supplied, or with an earlier definition of the answer.
    """

    def place(item: Any) -> tuple[bool, int]:
        return not item.obj.group.fresh, submission.order(task_name(item), item.name)

    shuffled = sorted(items, key=place)
    for item in shuffled:
        yield item, "own"
    for item in shuffled:
        if submission.follows_through(task_name(item), _builds_on(item)):
            yield item, "supplied"
    for item in shuffled:
        if submission.has_rival(task_name(item)):
            yield item, "rival"


def judge(item: Any, submission: Submission, mode: Mode) -> None:
    """Run one collected group on one submission."""
    task, names = task_name(item), _builds_on(item) if mode == "supplied" else ()

    def provide(group: str, wanted: Iterable[str]) -> dict[str, Any]:
        known = (name for name in wanted if name in PROVIDERS)
        return {name: PROVIDERS[name](submission, task, mode, group, names) for name in known}

    if item.obj.group.fresh:
        submission.refresh(task, mode, names)
    asked, prepare = item._fixtureinfo.argnames, None
    if "shared" in asked:
        prepare = lambda: _shared(item)(**provide("shared", _asked_by(_shared(item))))  # noqa: E731
    arguments = {**provide(item.name, asked), **_parameters(item)}
    submission.judge(task, mode, item.name, item.obj, arguments, prepare)


def _shared(item: Any) -> Any:
    """Return the module's function `shared`, whose result the groups of a task may ask for, else None."""
    return getattr(item.module, "shared", None)


def _asked_by(function: Any) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters) if function else ()


def _parameters(item: Any) -> dict[str, Any]:
    return dict(item.callspec.params) if hasattr(item, "callspec") else {}


def _builds_on(item: Any) -> tuple[str, ...]:
    return tuple(getattr(item.module, "builds_on", ()))


def task_name(item: Any) -> str:
    """Return the task that a grader function belongs to: test_softmax.py grades `softmax`."""
    return str(item.path.stem.removeprefix("test_"))
