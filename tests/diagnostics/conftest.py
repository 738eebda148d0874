"""One flag: ``pytest tests/diagnostics --regenerate`` writes the expected messages of the suites again."""


def pytest_addoption(parser):
    parser.addoption("--regenerate", action="store_true", help="rewrite the expected messages of the Markdown suites")
