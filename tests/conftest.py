"""Share the tests between processes: files stay together for their fixtures' sake, small grader tests do not."""

import pytest


@pytest.hookimpl(tryfirst=True)  # before xdist looks at the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if not item.path.name.startswith("test_graders"):
            item.add_marker(pytest.mark.xdist_group(item.path.name))
