"""A text in passages: what search ranks, so that one telling paragraph is not lost in a long text.

Measured on three public sets (docs/decisions/0014-search-ranks-passages.md): passages of about
700 characters find more than whole texts, and more than shorter or overlapping ones.
"""

from __future__ import annotations

PASSAGE_CHARS = 700
MOST_PASSAGES = 128  # of one text; what lies further back is kept, but not searched


def passages(text: str) -> list[str]:
    """Whole lines packed into at most PASSAGE_CHARS each; a longer line is cut at blanks.

    At least one, which may be empty, and at most MOST_PASSAGES.
    """
    found: list[str] = []
    held = ""
    for piece in _pieces(text):
        if held and len(held) + len(piece) + 1 > PASSAGE_CHARS:
            found.append(held)
            held = piece
        else:
            held = f"{held}\n{piece}" if held else piece
        if len(found) == MOST_PASSAGES:
            return found
    return [*found, held] if held or not found else found


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    for line in text[: PASSAGE_CHARS * MOST_PASSAGES].split("\n"):
        at = 0
        while len(line) - at > PASSAGE_CHARS:
            blank = line.rfind(" ", at + PASSAGE_CHARS // 2, at + PASSAGE_CHARS)
            end = blank if blank > 0 else at + PASSAGE_CHARS
            pieces.append(line[at:end])
            at = end
        if line[at:].strip():
            pieces.append(line[at:])
    return pieces
