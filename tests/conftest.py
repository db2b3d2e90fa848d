"""Share the tests between processes: a file stays together for its fixtures' sake, but not where that is too much."""

import re
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

APART = {
    "test_graders": re.compile(r"[^\[]*\[[^-]*-[^-]*"),  # tests of one kind on one assignment
    "test_attacks": re.compile(r".*\[((?:full|kernel)-(?:self|user)-(?:quick|all))"),  # those that look at one run
}


class Scheduling(LoadScopeScheduling):
    """Give a process all tests of a file, or of a part of it."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        part = next((pattern for name, pattern in APART.items() if file.endswith(f"{name}.py")), None)
        found = part.match(nodeid) if part else None
        return found[found.re.groups] if found else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    return Scheduling(config, log)
