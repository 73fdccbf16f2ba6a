"""`memfold claude-md`: what is remembered of a directory's files, in its CLAUDE.md."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from memfold.cli import ask, out
from memfold.errors import HostFileProblem, InvalidInput
from memfold.hosts import files, marked

NAMES = ("CLAUDE.md", "AGENTS.md")


@click.command(short_help="Write a directory's index into its CLAUDE.md.")
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(path_type=str))
@click.option("--create", is_flag=True, help="Make the file, or put the block at its end.")
@click.option("--clean", is_flag=True, help="Take the block out; the file too if that is all.")
@click.option("--dry-run", is_flag=True, help="Show what would be written; write nothing.")
@click.option("--file", "name", type=click.Choice(NAMES), help="Which of the two files.")
@out.json_option
def command(
    *, folder: str, create: bool, clean: bool, dry_run: bool, name: str | None, as_json: bool
) -> None:
    """Write what is remembered of the files below DIR into its CLAUDE.md.

    Tables by file, between two marker lines; everything else in the file stays as it is. Without
    --file it is the one that has the markers, else CLAUDE.md, else AGENTS.md. A file without
    markers is left alone unless --create is given.

    \b
    Examples:
      memfold claude-md --create
      memfold claude-md src/pool --dry-run
      memfold claude-md src/pool --clean
    """
    if create and clean:
        raise click.UsageError("--create and --clean do not go together.")
    place = Path(ask.absolute(folder))
    if not place.is_dir():
        raise InvalidInput(f"{place} is not a directory.", "Name the directory to write into.")
    path, before = _target(place, name)
    told = _cleaned(path, before) if clean else _written(place, path, before, create)
    after = told.pop("after")
    change = files.Change(path, before, after, mode=0o666 & ~_umask())
    if change.changes and not dry_run:
        files.apply(change)
    told |= {
        "path": str(path),
        "changed": change.changes,
        "created": change.changes and before is None,
        "removed": change.changes and after is None,
        "dry_run": dry_run,
    }
    if as_json:
        out.data(told)
    else:
        _tell(told, clean=clean)


def _target(place: Path, name: str | None) -> tuple[Path, bytes | None]:
    """The file meant and what is in it; None where there is none."""
    found = {path: _read(path) for path in (place / one for one in ((name,) if name else NAMES))}
    there = {path: body for path, body in found.items() if body is not None}
    for path, body in there.items():
        if marked.has_marker(body):
            return path, body
    return next(iter(there.items()), next(iter(found.items())))


def _read(path: Path) -> bytes | None:
    if path.exists() and not path.is_file():
        raise HostFileProblem(f"{path} is not a file.")
    body = files.read(path)
    try:
        (body or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise HostFileProblem(f"{path} is not UTF-8 text.") from error
    return body


def _written(place: Path, path: Path, before: bytes | None, create: bool) -> dict[str, Any]:
    """What the file becomes (``after``) and what is in its block."""
    if not create and (before is None or not marked.has_marker(before)):
        what = "There is no" if before is None else "memfold has no block in"
        then = "make the file" if before is None else "put one at its end"
        raise InvalidInput(
            f"{what} {path}; nothing was written.", f"Run it again with --create to {then}."
        )
    marked.without_block(before or b"", str(path))  # damaged markers are said before all else
    told = dict(ask.get("/directory", folder=str(place)))
    if not told["files"] and not marked.has_marker(before or b""):
        return told | {"after": before}  # a block that says nothing is not begun
    return told | {"after": marked.with_block(before or b"", told["text"], str(path))}


def _cleaned(path: Path, before: bytes | None) -> dict[str, Any]:
    told: dict[str, Any] = {"text": "", "files": 0, "observations": 0, "files_left_out": 0}
    if before is None or not marked.has_marker(before):
        return told | {"after": before}
    after = marked.without_block(before, str(path))
    # A link was not made by us, and what it leads to may be a part of something else.
    gone = marked.is_blank(after) and not path.is_symlink()
    return told | {"after": None if gone else after}


def _tell(told: dict[str, Any], *, clean: bool) -> None:
    path = told["path"]
    counts = f"{out.count(told['files'], 'file')}, {out.count(told['observations'], 'observation')}"
    said = counts if told["files"] else "nothing is remembered of its files yet"
    if not told["changed"]:
        if clean:
            out.text(f"{path} has no block of memfold; nothing to do.")
        elif told["files"]:
            out.text(f"{path} is up to date ({said}); nothing to do.")
        else:
            out.text(f"{said.capitalize()} ({path}); nothing was written.")
    elif told["removed"]:
        out.text(f"{'would remove' if told['dry_run'] else 'removed'} {path}")
    elif clean:
        does = "would take" if told["dry_run"] else "took"
        out.text(f"{does} the block out of {path}")
    elif told["dry_run"]:
        out.text(f"would write {path}: {said}\n\n{marked.BEGIN}\n{told['text']}\n{marked.END}")
    else:
        out.text(f"wrote {path}: {said}")


def _umask() -> int:
    """What this process takes from the permissions of files it makes."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
