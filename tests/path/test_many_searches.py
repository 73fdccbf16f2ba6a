"""Two hundred searches at once on one daemon: each goes on with its own cursor, to its own entries.

Source: spec of mem_search, "Rules": nothing is disclosed that the step before did not list.
"""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

from running import Running, running

AT_ONCE = 200
PROJECTS = 4


def noted(here: Running, cwd: Path, args: dict[str, Any]) -> None:
    wish = {"args": args, "cwd": str(cwd), "session": "writer"}
    assert "Noted" in here.ask("POST", "/tool/memory_note", json.dumps(wish).encode()).decode()


def asked(here: Running, cwd: Path, session: str, args: dict[str, Any]) -> dict[str, Any]:
    wish = {"args": args, "cwd": str(cwd), "session": session}
    said = json.loads(here.ask("POST", "/tool/mem_search", json.dumps(wish).encode()))
    return dict(said)


def test_no_search_sees_anothers_cursor_or_text(tmp_path: Path) -> None:
    homes = [tmp_path / f"project{number}" for number in range(PROJECTS)]
    with running(tmp_path / "home") as here:
        here.start()
        for number, cwd in enumerate(homes):
            cwd.mkdir()
            for word in ("pump", "valve", "seal"):
                title = f"The {word} of engine {number} stalls"
                noted(here, cwd, {"title": title, "text": f"marker{number}{word} explains it"})
        gate = Barrier(AT_ONCE)

        def one_search(number: int) -> tuple[str, list[str]]:
            own, word = number % PROJECTS, ("pump", "valve", "seal")[number % 3]
            cwd, session = homes[own], f"reader{number}"
            gate.wait()
            first = asked(here, cwd, session, {"query": f"{word} stalls", "limit": 3})
            gate.wait()  # all of them hold a cursor now
            wanted = _ref(first["text"], word)
            second = asked(
                here, cwd, session, {"continuation": first["cursor"], "selectedIds": [wanted]}
            )
            third = asked(
                here, cwd, session, {"continuation": second["cursor"], "selectedIds": [wanted]}
            )
            texts = [first["text"], second["text"], third["text"]]
            assert f"marker{own}{word}" in third["text"]
            foreign = {f"engine {other} " for other in range(PROJECTS) if other != own}
            assert not [text for text in texts for other in foreign if other in text]
            others = {f"marker{own}{other}" for other in ("pump", "valve", "seal") if other != word}
            assert not [text for text in texts for other in others if other in text]
            return first["cursor"], [second["cursor"]]

        with ThreadPoolExecutor(AT_ONCE) as pool:
            cursors = [
                cursor
                for first, more in pool.map(one_search, range(AT_ONCE))
                for cursor in (first, *more)
            ]
        assert len(set(cursors)) == 2 * AT_ONCE
        assert all(re.fullmatch(r"ms_[A-Za-z0-9_-]{24}", cursor) for cursor in cursors)


def _ref(text: str, word: str) -> str:
    found = re.search(rf"\[(\d+)\] The {word} ", text)
    assert found, text
    return found[1]
