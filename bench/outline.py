"""An outline of 32 KB in each language, warm: beside `ctags` on the same file and a read of it.

Files are the samples of the tests, one after the other until there are 32 KB; another folder of
sources can be named, then its largest file a language is cut or repeated to 32 KB.
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
from memfold.evals.ctags_kinds import READERS

SIZE = 32 * 1024
TIMES = 15
GOAL_MS = 10.0
SAMPLES = Path(__file__).resolve().parents[1] / "tests" / "code" / "samples"


def sources(folder: Path) -> dict[str, Path]:
    """The largest file of each language."""
    found: dict[str, Path] = {}
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        language = language_of(path.name)
        if language and path.stat().st_size > (
            found[language].stat().st_size if language in found else 0
        ):
            found[language] = path
    return dict(sorted(found.items()))


def sized(text: str) -> bytes:
    """32 KB of whole lines of it, from the start, again and again where it is shorter."""
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


def median_ms(work: Callable[[], object]) -> float:
    took: list[float] = []
    for _ in range(TIMES):
        began = time.perf_counter()
        work()
        took.append((time.perf_counter() - began) * 1_000)
    return statistics.median(took)


def ctags_ms(path: Path, language: str) -> float | None:
    program = shutil.which("ctags")
    if program is None or language not in READERS:
        return None
    command = [program, "--quiet", "--options=NONE", f"--language-force={READERS[language].name}",
               "-o", os.devnull, str(path)]  # fmt: skip
    if subprocess.run(command, capture_output=True, check=False).returncode:
        return None  # another ctags, or one that does not know the language
    return median_ms(lambda: subprocess.run(command, capture_output=True, check=True))


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    print(f"{'32 KB of':12} {'symbols':>8} {'errors':>7} {'outline':>9} {'ctags':>9} {'read':>8}")
    slow = []
    with tempfile.TemporaryDirectory() as name:
        for language, source in sources(folder).items():
            path = Path(name) / f"sized{source.suffix}"
            path.write_bytes(data := sized(source.read_text("utf-8", "replace")))
            seen = outline(data, language)  # the grammar is loaded by now
            ms = median_ms(lambda data=data, language=language: outline(data, language))  # type: ignore[misc]
            other = ctags_ms(path, language)
            read = median_ms(path.read_bytes)
            if ms >= GOAL_MS:
                slow.append(language)
            print(
                f"{language:12} {len(seen.symbols):8,} {'yes' if seen.broken else 'no':>7}"
                f" {ms:6.1f} ms {f'{other:6.1f} ms' if other is not None else 'none':>9}"
                f" {read:5.2f} ms"
            )
    print(f"goal: less than {GOAL_MS:.0f} ms; not met by: {', '.join(slow) or 'none'}")


if __name__ == "__main__":
    main()
