"""Seeds are keyed: the same secret gives the same inputs, another one gives others, and the file is made once."""

from pathlib import Path

import pytest

from autograder.grading import seeds


def test_the_secret_file_is_made_once_and_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AUTOGRADER_SECRET", raising=False)
    first = seeds.course_secret(tmp_path)
    assert len(first) == 64 and seeds.course_secret(tmp_path) == first
    assert (tmp_path / seeds.SECRET_FILE).stat().st_mode & 0o077 == 0


def test_the_environment_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRADER_SECRET", "from outside")
    assert seeds.course_secret(tmp_path) == b"from outside"
    assert not (tmp_path / seeds.SECRET_FILE).exists()


def test_each_student_task_and_group_has_inputs_of_its_own() -> None:
    names = (("a", "b"), ("ab", ""), ("a", "c"), ("b", "a"))
    draws = {float(seeds.generator(b"s", *words).normal()) for words in names}
    assert len(draws) == 4
    assert seeds.generator(b"s", "a").normal() == seeds.generator(b"s", "a").normal()
    assert seeds.generator(b"t", "a").normal() != seeds.generator(b"s", "a").normal()


def test_a_fingerprint_does_not_hold_the_seed() -> None:
    assert f"{seeds.seed(b's', 'a'):x}"[:16] != seeds.fingerprint(b"s", "a") == seeds.fingerprint(b"s", "a")
