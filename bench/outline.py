"""Outlines in each language, warm, in ms for 32 KB: beside `ctags` on the same file and a read.

Without a folder the samples of the tests are repeated up to 32 KB: a symbol a line, more than real
source has. With one, its file nearest to 32 KB a language is taken as it is; what lies in `ugly`
(see ../shared/data/get_sources.sh) is made to be hard, and left out.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from memfold.code.languages import language_of
from memfold.code.outline import outline
from memfold.evals.outlines.ctags_kinds import READERS

SIZE = 32 * 1024
TIMES = 15
GOAL_MS = 10.0
SAMPLES = Path(__file__).resolve().parents[1] / "tests" / "code" / "samples"


def sources(folder: Path) -> dict[str, Path]:
    """The file of each language whose size is nearest to SIZE."""
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*"), key=lambda one: abs(one.stat().st_size - SIZE)):
        language = language_of(path.name)
        if language and path.is_file() and "ugly" not in path.parts:
            found.setdefault(language, path)
    return dict(sorted(found.items()))


def sized(text: str) -> bytes:
    """At least 32 KB: its whole lines again and again where it is shorter."""
    if len(data := text.encode("utf-8", "replace")) >= SIZE:
        return data
    lines = (text if text.endswith("\n") else text + "\n").splitlines(keepends=True)
    kept: list[bytes] = []
    size = 0
    while size < SIZE:
        for line in lines:
            data = line.encode("utf-8", "replace")
            if size + len(data) > SIZE and kept:
                return b"".join(kept)
            kept.append(data)
            size += len(data)
    return b"".join(kept)


def median_ms(work: Callable[[], object], size: int) -> float:
    """Milliseconds for 32 KB of the file's ``size``."""
    took: list[float] = []
    for _ in range(TIMES):
        began = time.perf_counter()
        work()
        took.append((time.perf_counter() - began) * 1_000)
    return statistics.median(took) * SIZE / size


def ctags_ms(path: Path, language: str) -> float | None:
    program = shutil.which("ctags")
    if program is None or language not in READERS:
        return None
    command = [program, "--quiet", "--options=NONE", f"--language-force={READERS[language].name}",
               "-o", os.devnull, str(path)]  # fmt: skip
    if subprocess.run(command, capture_output=True, check=False).returncode:
        return None  # another ctags, or one that does not know the language
    size = path.stat().st_size
    return median_ms(lambda: subprocess.run(command, capture_output=True, check=True), size)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    print(f"{'32 KB of':12} {'bytes':>9} {'symbols':>8}  {'outline':>9} {'ctags':>9} {'read':>8}")
    slow = []
    with tempfile.TemporaryDirectory() as name:
        for language, source in sources(folder).items():
            path = Path(name) / f"sized{source.suffix}"
            text = source.read_text("utf-8", "replace")
            path.write_bytes(data := sized(text) if folder == SAMPLES else text.encode())
            seen = outline(data, language)  # the grammar is loaded by now
            ms = median_ms(lambda data=data, language=language: outline(data, language), len(data))  # type: ignore[misc]
            other = ctags_ms(path, language)
            read = median_ms(path.read_bytes, len(data))
            if ms >= GOAL_MS:
                slow.append(language)
            ctags = f"{other:6.1f} ms" if other is not None else "none"
            print(
                f"{language:12} {len(data):9,} {len(seen.symbols):8,}  {ms:6.1f} ms {ctags:>9}"
                f" {read:5.2f} ms{'  with errors' if seen.broken else ''}"
            )
    print(f"goal: less than {GOAL_MS:.0f} ms; not met by: {', '.join(slow) or 'none'}")


if __name__ == "__main__":
    main()
