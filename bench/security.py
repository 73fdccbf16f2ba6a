"""Who tries what on a daemon, and how it is refused: the table of tests/support/attempts.py.

Ends with 1 when an attempt gets through.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from attempts import ATTEMPTS, open_door, sends_nonsense


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--malformed", type=int, default=10_000, help="requests to send")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    options = parser.parse_args()
    many = partial(sends_nonsense, count=options.malformed, seed=options.seed)
    through = 0
    with tempfile.TemporaryDirectory() as folder, open_door(Path(folder)) as door:
        print("| who | tries | how it ends |\n| --- | --- | --- |")
        for attempt in ATTEMPTS:
            run = many if attempt.run is sends_nonsense else attempt.run
            try:
                ends = f"refused: {run(door)}"
            except AssertionError as error:
                ends = f"**got through**: {error}"
                through += 1
            print(f"| {attempt.who} | {attempt.what} | {ends} |", flush=True)
    print(f"\n{through} of {len(ATTEMPTS)} got through (seed {options.seed}).")
    if os.geteuid() != 0:
        print("As another account nothing was tried: that needs root. The modes were looked at.")
    return 1 if through else 0


if __name__ == "__main__":
    sys.exit(main())
