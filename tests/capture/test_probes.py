"""Which payloads are probes: those that install sends, and nothing an agent could come to say."""

from __future__ import annotations

import json

import pytest

from memfold.capture.probes import nonce_in, payload

NONCE = "0123456789abcdef" * 2


def test_what_is_sent_is_known_again() -> None:
    assert nonce_in(json.dumps(payload(NONCE)).encode()) == NONCE


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b'"MemfoldProbe"',
        b'{"hook_event_name": "MemfoldProbe"',
        json.dumps(payload("short")).encode(),
        json.dumps(payload(NONCE + "; DROP")).encode(),
        json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": "MemfoldProbe"}).encode(),
        json.dumps({**payload(NONCE), "prompt": "x" * 200}).encode(),
    ],
)
def test_anything_else_is_an_event_or_nothing(body: bytes) -> None:
    assert nonce_in(body) == ""
