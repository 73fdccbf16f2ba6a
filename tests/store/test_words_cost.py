"""Words of a text are found in time that grows with its length, not its square."""

from __future__ import annotations

import re

from memfold.store import words


def test_no_pattern_retries_a_long_run_of_letters() -> None:
    """A hex dump of 20,000 characters held a store's write for 11 s."""
    text = "0123456789abcdef" * 1_250
    assert words.extra_words(text) == ""
    assert [len(match.group()) for match in re.finditer(words._RUN, text)] == [20_000]


def test_identifiers_are_still_split() -> None:
    assert words.extra_words("XMLHttpRequest HTTPServer foo_bar plain").split() == [
        "xml",
        "http",
        "request",
        "server",
        "foo",
        "bar",
    ]
