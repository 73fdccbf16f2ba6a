"""Every attempt of somebody without the right to is refused (the table of `make security`)."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from attempts import ATTEMPTS, Attempt, Door, open_door, sent_socket, sent_tcp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from running import running, tool_use

from memfold import wire


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    with open_door(tmp_path_factory.mktemp("attempts")) as opened:
        yield opened


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.run.__name__)
def test_the_attempt_is_refused(door: Door, attempt: Attempt) -> None:
    assert attempt.run(door)
    assert door.here.answers()


def test_the_table_tells_a_door_that_lets_in(door: Door) -> None:
    """The attempts can fail: with the rights of the owner the same requests succeed."""
    assert door.ask("/health", door.bearer(), b"", method="GET") == 200
    (door.here.home / wire.SOCKET).chmod(0o666)
    try:
        rings = next(a for a in ATTEMPTS if a.run.__name__ == "rings_the_socket")
        with pytest.raises(AssertionError):
            rings.run(door)
    finally:
        (door.here.home / wire.SOCKET).chmod(0o600)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    data=st.one_of(
        st.binary(max_size=2_000),
        st.builds(
            lambda path, body: b"POST " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n" + body,
            st.binary(max_size=60),
            st.binary(max_size=200),
        ),
    )
)
def test_no_bytes_end_the_daemon(door: Door, data: bytes) -> None:
    home = door.here.home
    for answer in (sent_tcp(door.port, data, whole=False), sent_socket(home, data, whole=False)):
        assert b"Traceback" not in answer
    assert door.here.answers()


def test_a_data_directory_behind_a_symlink_is_as_private(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir(mode=0o700)
    link = tmp_path / "link"
    link.symlink_to(real)
    with running(link) as here:
        here.start()
        here.settled(0)
        assert stat.S_IMODE((real / wire.SOCKET).stat().st_mode) == 0o600
        lax = [path.name for path in real.rglob("*") if path.lstat().st_mode & 0o077]
        assert lax == []
        assert link.is_symlink(), "it was replaced"


def test_half_a_surrogate_pair_in_a_session_id_is_no_failure(door: Door) -> None:
    before = door.here.status()["tool_uses"]
    use = json.dumps({**tool_use(77, door.outside), "session_id": "half-\ud800"}).encode()
    assert door.ask("/hook/claude-code", door.bearer(), use) == 200
    assert door.here.status()["tool_uses"] == before + 1
