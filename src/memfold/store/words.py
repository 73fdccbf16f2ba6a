"""The words a text is found by, beyond those a tokenizer sees.

Identifiers are split (``validateEndpoints`` -> validate endpoints, ``internal/validation`` ->
internal validation) and text without blanks (Chinese, Japanese, Korean) becomes pairs of
neighbouring characters. Used for what is stored and for what is asked, so that both meet.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
# A run is taken whole and then looked at: a pattern that searched for the capital inside it would
# try again from each of its characters (11 s for 20,000 lower-case letters).
_RUN = re.compile(r"[A-Za-z0-9]+(?:[_./:\\-][A-Za-z0-9]+)*")
_INNER = re.compile(r"[_./:\\-]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]+")
_MAX_CHARS = 20_000  # of one text: more finds nothing that the start does not


def extra_words(text: str) -> str:
    """Parts of identifiers and pairs of CJK characters in ``text``, blank-separated."""
    return " ".join(_extra(text[:_MAX_CHARS]))


def _extra(text: str) -> list[str]:
    found: dict[str, None] = {}
    for match in _RUN.finditer(text):
        if not _INNER.search(match.group()):
            continue
        for word in _WORD.findall(match.group()):
            parts = _CAMEL.findall(word)
            for part in parts if len(parts) > 1 else [word]:
                found[part.lower()] = None
    if not text.isascii():
        for match in _CJK.finditer(text):
            found.update(dict.fromkeys(pairs(match.group())))
    return list(found)


def pairs(run: str) -> list[str]:
    """Neighbouring pairs of a run of CJK characters; a single character is itself."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def asked_words(query: str) -> list[str]:
    """Distinct words of a query in order, identifiers split, CJK runs as pairs, lower case."""
    found: dict[str, None] = {}
    for raw in _WORD.findall(query):
        for run in _CJK.findall(raw):
            found.update(dict.fromkeys(pairs(run)))
        for word in _WORD.findall(_CJK.sub(" ", raw)):
            found[word.lower()] = None
            parts = _CAMEL.findall(word)
            if len(parts) > 1:
                found.update(dict.fromkeys(part.lower() for part in parts if len(part) > 1))
    return list(found)


STOP_WORDS = frozenset(
    """a about after again all also am an and any are as at be because been before being but by
    can complete completely could current currently did different do does doing done entire for
    from full get got had has have having he her here him his how i if in into is it its just
    let like me more most my no not now of off on once only or other our out over overall own
    please same she should so some such than that the their them then there these they this
    those through to too under until up us various very was we were what when where which while
    who whom why will with would you your""".split()  # noqa: SIM905  # a text reads better
)


def content_words(query: str) -> list[str]:
    """The query's words without stop words; all of them where nothing else is left."""
    words = asked_words(query)
    return [word for word in words if word not in STOP_WORDS] or words


def names(query: str) -> list[list[str]]:
    """The words by which each name of several words (``ecommerce-api``) in a query is asked.

    Numbers and words that also stand alone in the query are not among them.
    """
    asked = set(content_words(query))
    runs = {match.group(): asked_words(match.group()) for match in _RUN.finditer(query)}
    asked -= {words[0] for words in runs.values() if len(words) == 1}
    found = [
        [one for one in words if one in asked and not one.isdigit()] for words in runs.values()
    ]
    return [parts for parts in found if len(parts) > 1]
