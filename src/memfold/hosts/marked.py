"""Our block in a text file of somebody else's: put in, replaced, taken out, as bytes.

The block stands between two lines, the markers. What is outside them stays byte for byte,
whatever its line ends, its byte order mark and its last line. The block takes the line ends of
the file.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from memfold.errors import HostFileProblem

BEGIN = "<!-- memfold:begin -->"
END = "<!-- memfold:end -->"
_BEGIN, _END = BEGIN.encode(), END.encode()
_BOM = codecs.BOM_UTF8


@dataclass(frozen=True, slots=True)
class _Found:
    start: int  # of the begin marker
    end: int  # after the end marker, its line end not included
    newline: bytes  # after the begin marker


def has_marker(body: bytes) -> bool:
    """Whether there is a marker at all, be it in order or damaged."""
    return any(_is(line, _BEGIN) or _is(line, _END) for line in body.splitlines())


def with_block(body: bytes, text: str, name: str = "The file") -> bytes:
    """The file with ``text`` between the markers, which are put at its end where it has none.

    ``text`` has ``\\n`` line ends and no marker in it. Doing it twice changes nothing. ``name``:
    of the file, for the error. Raises HostFileProblem for markers that are not one pair.
    """
    found = _find(body, name)
    newline = found.newline if found else _newline(body)
    block = f"{BEGIN}\n{text}\n{END}".encode().replace(b"\n", newline)
    if found:
        return body[: found.start] + block + body[found.end :]
    if not body.removeprefix(_BOM):
        return body + block + newline
    if _ends_line(body, newline):
        return body + newline + block + newline
    # A file whose last line is open keeps it that way, which tells without_block what was there.
    return body + newline + newline + block


def without_block(body: bytes, name: str = "The file") -> bytes:
    """The file as it was before ``with_block`` put a block at its end.

    Where the block was moved, or text was added after it, the blank lines around it stay.
    Without a block: the file as it is. Raises HostFileProblem as ``with_block`` does.
    """
    found = _find(body, name)
    if found is None:
        return body
    before, after = body[: found.start], body[found.end :]
    newline = found.newline
    if not after:
        return before.removesuffix(newline * 2) if before.endswith(newline * 2) else before
    ended = next((one for one in (b"\r\n", b"\n", b"\r") if after.startswith(one)), b"")
    after = after[len(ended) :]
    if not after and before.endswith(newline) and _ends_line(before.removesuffix(newline), newline):
        before = before.removesuffix(newline)
    return before + after


def is_blank(body: bytes) -> bool:
    """Whether nothing that a person wrote is in the file."""
    return not body.removeprefix(_BOM).strip()


def _find(body: bytes, name: str) -> _Found | None:
    begins: list[tuple[int, bytes]] = []  # (place, the whole line)
    ends: list[int] = []
    place = 0
    for line in body.splitlines(keepends=True):
        if _is(line, _BEGIN):
            begins.append((place + line.index(_BEGIN), line))
        elif _is(line, _END):
            ends.append(place + line.index(_END) + len(_END))
        place += len(line)
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1:
        raise HostFileProblem(
            f"{name} has {len(begins)} lines `{BEGIN}` and {len(ends)} lines `{END}`; "
            "one of each is what memfold can replace.",
            "Nothing was changed. Remove what is left of the block by hand, then run it again.",
        )
    ((start, line),), (end,) = begins, ends
    if end < start:
        raise HostFileProblem(
            f"{name} has `{END}` above `{BEGIN}`.",
            "Nothing was changed. Put the two lines in order, then run it again.",
        )
    ended = line[len(line.rstrip(b"\r\n")) :]
    return _Found(start, end, ended)


def _is(line: bytes, marker: bytes) -> bool:
    return line.removeprefix(_BOM).strip() == marker


def _newline(body: bytes) -> bytes:
    """The file's own line end: that of its first line."""
    first = next(iter(body.splitlines(keepends=True)), b"")
    return first[len(first.rstrip(b"\r\n")) :] or b"\n"


def _ends_line(body: bytes, newline: bytes) -> bool:
    """Whether its last line is closed; a lone CR is not once a LF comes behind it."""
    return body.endswith(b"\n" if newline == b"\n" else (b"\n", b"\r"))
