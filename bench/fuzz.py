"""Damaged sources and odd paths without end: outline, unfold and the gate neither crash nor hang.

What must hold of each: an answer or one of our refusals, every line number inside the file, every
text within its limit, nothing of a file outside the workspace, no input that takes two seconds (of
a machine that does nothing else).
Damage is drawn by hypothesis, over the samples of every language and, where they are there, real
sources. Prints how much was tried and the slowest; exits 1 at the first fault.

    python bench/fuzz.py --minutes 20
    python bench/fuzz.py --minutes 1 --sources ~/.cache/real-sources
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from memfold.code.apart import outline
from memfold.code.gate.ask import Past, ReadAsk, Verdict
from memfold.code.gate.decide import Rules, decide
from memfold.code.gate.text import BLOCK_UNITS
from memfold.code.languages import LANGUAGES, language_of
from memfold.code.reading import is_code, outline_text
from memfold.code.render import OUTLINE_BYTES, render
from memfold.code.tools import outline_of_file, unfold_in_file
from memfold.code.unfold import unfold
from memfold.errors import MemfoldError
from memfold.measure import utf16_units

SAMPLES = Path(__file__).resolve().parents[1] / "tests" / "code" / "samples"
SOURCES = Path("~/.cache/real-sources").expanduser()
MOST_S = 2.0
MOST_SOURCE = 400_000  # bytes of a real file that is damaged
A_ROUND = 200  # examples before the clock is looked at
OUTSIDE = "text_of_the_outside"
UNFOLD_BYTES = 33 * 1024
PIECES = (
    b"{" * 3_000, b"(" * 3_000, b"[" * 3_000, b"<" * 500, b"\0" * 64, b"'", b'"', b'"""', b"/*",
    b"*/", b"//", b"#", b"\\", b"`", b"${", b"<<EOF\n", b"\r", b"\r\n", b"\n" * 2_000, b"\t" * 200,
    b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", "é中😀\u202e".encode(), b"x" * 20_000,
    b"def f(",
    b"class A:\n", b"function f() {\n", b"end\n", b"}\n", b"if (x) " * 400, b"a." * 3_000,
    b"- " * 400, b"<div>" * 800, b"</script>", b"@", b"=> ", b"::",
    b"".join(b" " * n + b"k:\n" for n in range(300)), b"{-" * 20_000, b"...\n" * 10_000,
    b"? " * 300,
)  # fmt: skip


@dataclass
class Tally:
    """What was tried."""

    tried: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, str] = (0.0, "")
    most_s: float = MOST_S

    def timed(self, what: str, work: Callable[[], None]) -> None:
        """Run it; a refusal of ours is an answer. Raises AssertionError where it takes too long."""
        began = time.perf_counter()
        try:
            work()
        except MemfoldError as error:
            self.refused[type(error).__name__] += 1
        took = time.perf_counter() - began
        self.tried[what.partition(" ")[0]] += 1
        self.slowest = max(self.slowest, (took, what))
        assert took < self.most_s, f"{what} took {took:.2f} s"


@st.composite
def damaged(draw: st.DrawFn, sources: Sequence[Path]) -> tuple[str, bytes]:
    """(language, bytes): a source cut, joined, doubled, with odd pieces put in, recoded."""
    path = draw(st.sampled_from(sources))
    language = draw(st.sampled_from([language_of(path.name)] * 3 + sorted(LANGUAGES)))
    data = path.read_bytes()[:MOST_SOURCE]
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        to = min(len(data), at + draw(st.integers(0, 3_000)))
        piece = draw(st.one_of(st.sampled_from(PIECES), st.binary(max_size=40)))
        data = draw(
            st.sampled_from(
                [
                    data[:at] + data[to:],
                    data[:at] + piece + data[at:],
                    data[:at] + piece * 3 + data[to:],
                    data[:at] + data[at:to] * 4 + data[to:],
                    data[:at],
                    data[at:] + data[:at],
                ]
            )
        )
    return language, draw(st.sampled_from([data, data, data, recoded(data)]))


def recoded(data: bytes) -> bytes:
    return b"\xff\xfe" + data.decode("utf-8", "replace").encode("utf-16-le", "replace")


def try_outline(tally: Tally, language: str, data: bytes) -> None:
    """Outline and unfold, in memory."""
    names: list[str] = []

    def outlined() -> None:
        found = outline(data, language)
        assert len(render(found, f"/x.{language}").encode()) <= OUTLINE_BYTES + 200
        for one in found.symbols:
            assert 1 <= one.first_line <= one.line <= one.end_line <= max(found.lines, 1), one
        names.extend(one.name for one in found.symbols[:: max(1, len(found.symbols) // 2)])

    def unfolded(name: str) -> None:
        text = unfold(data, language, "/x", name)
        assert len(text.encode("utf-8", "replace")) <= UNFOLD_BYTES

    shown = f"{language} of {len(data):,} bytes"
    tally.timed(f"outline {shown}", outlined)
    for name in names:
        tally.timed(f"unfold {shown}", partial(unfolded, name))


class Place:
    """A workspace with a way out at every corner, and what lies outside."""

    def __init__(self, root: Path) -> None:
        self.root = root / "work"
        (self.root / "src").mkdir(parents=True)
        outside = root / "outside"
        outside.mkdir()
        (outside / "hidden.py").write_text(f"def {OUTSIDE}(): ...\n" * 2_000)
        (self.root / "out").symlink_to(outside)
        (self.root / "src" / "link.py").symlink_to(outside / "hidden.py")
        (self.root / "src" / "round.py").symlink_to(self.root / "src" / "round.py")
        os.mkfifo(self.root / "pipe.py")
        (self.root / ".env").write_text(f"{OUTSIDE}=1\n")
        (self.root / "src" / "ok.py").write_text("def fine(): ...\n" * 3_000)
        self.write = self.root / "src" / "drawn.py"
        self.parts = (
            "..", ".", "src", "out", "link.py", "round.py", "pipe.py", "hidden.py", "ok.py", ".env",
            "drawn.py", "", "/", "~", "\0", "OK.PY", "x" * 300, "proc/self/environ", "dev/zero.py",
            str(self.root), str(outside), "/proc/self/root", "é", "\u202e", "outside", "work",
        )  # fmt: skip

    # What the gate asks of the rest: everything is known, so that only its own conditions decide.
    def is_code(self, path: str) -> bool:
        return is_code(path)

    def roots(self, _ask: ReadAsk) -> Sequence[str]:
        return [os.path.realpath(self.root)]

    def past(self, _path: str) -> Sequence[Past]:
        return [Past(1, 4_000_000_000_000, "[1] Known")]

    def told(self, _ask: ReadAsk, _path: str) -> Verdict | None:
        return None

    def outline(self, path: str, data: bytes) -> str:
        return outline_text(path, data)

    def context_tokens(self, _ask: ReadAsk) -> int:
        return 20_000


def try_paths(tally: Tally, place: Place, parts: Sequence[str], data: bytes, limit: int) -> None:
    """Gate and tools on one path; the drawn file is what stands in the workspace."""
    place.write.write_bytes(data)
    path = "/".join(parts)
    ask = ReadAsk(
        host="claude-code", session="s", path=path, cwd=str(place.root), limit=limit or None
    )
    rules = Rules(threshold=1_600, adaptive=bool(limit % 2))

    def gate() -> None:
        verdict = decide(ask, rules, place)
        assert OUTSIDE not in verdict.text, path
        assert utf16_units(verdict.text) <= BLOCK_UNITS
        if verdict.kind == "block":
            assert verdict.path.startswith(os.path.realpath(place.root)), path

    def tools() -> None:
        roots = place.roots(ask)
        assert OUTSIDE not in render(outline_of_file(path, roots, str(place.root)), path), path

    def unfolded() -> None:
        unfold_in_file(path, OUTSIDE, place.roots(ask), str(place.root))
        raise AssertionError(f"{path} gave what lies outside")

    for name, work in (("gate", gate), ("tool", tools), ("unfold", unfolded)):
        tally.timed(f"{name} {path[:80]!r}", work)


def rounds(tally: Tally, sources: Sequence[Path], place: Place, minutes: float, first: int) -> None:
    """Until the time is over; each round has a seed of its own, which it prints when it fails."""
    until = time.monotonic() + minutes * 60
    number = first
    while time.monotonic() < until:
        number += 1
        plain = settings(
            max_examples=A_ROUND, database=None, deadline=None, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck), print_blob=False,
        )  # fmt: skip
        parts = st.lists(st.sampled_from(place.parts), min_size=1, max_size=6)

        @seed(number)
        @plain
        @given(damaged(sources))
        def sources_hold(drawn: tuple[str, bytes]) -> None:
            try_outline(tally, *drawn)

        @seed(number)
        @plain
        @given(parts, damaged(sources[:32]), st.integers(0, 4_000))
        def paths_hold(given_: list[str], drawn: tuple[str, bytes], limit: int) -> None:
            try_paths(tally, place, given_, drawn[1], limit)

        try:
            sources_hold()
            paths_hold()
        except Exception as error:  # whatever it is, the seed finds it again
            print(f"seed {number}: {str(error)[:400]}", file=sys.stderr)
            raise SystemExit(1) from None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--sources", type=Path, default=SOURCES, help="a folder of real files")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--most", type=float, default=MOST_S, help="seconds; more where it is busy")
    options = parser.parse_args()
    sources = sorted(path for path in SAMPLES.iterdir() if language_of(path.name))
    if options.sources.is_dir():
        real = (path for path in options.sources.rglob("*") if path.is_file())
        sources += sorted(path for path in real if language_of(path.name))
    warnings.filterwarnings("ignore", message="Generating overly large repr")
    tally = Tally(most_s=options.most)
    with tempfile.TemporaryDirectory() as root:
        rounds(tally, sources, Place(Path(root)), options.minutes, options.seed)
    print(f"{options.minutes:g} minutes over {len(sources)} files, first seed {options.seed}")
    for name, count in sorted(tally.tried.items()):
        print(f"  {name:8} {count:>9,} tried")
    for name, count in tally.refused.most_common():
        print(f"  refused as {name}: {count:,}")
    print(f"  slowest: {tally.slowest[0]:.2f} s, {tally.slowest[1]}")


if __name__ == "__main__":
    main()
