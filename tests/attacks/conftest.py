"""Leave the long selection out unless it is asked for by name: `pytest -m attack_all tests/attacks`."""

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "attack_all" in config.getoption("-m"):
        return
    long = [item for item in items if item.get_closest_marker("attack_all")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]
