"""Run student code behind a wall and talk to it in data only."""
