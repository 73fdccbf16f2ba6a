"""Static word vectors by WordLlama: 16 MB, no network, no GPU, a millisecond a text."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

_MOST_CHARS = 4_000  # of one text


class WordLlamaEmbedder:
    """Implements ports.Embedder. The vectors are loaded when the first text comes."""

    name = "wordllama-256"

    def __init__(self) -> None:
        self._loading = threading.Lock()

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        if not texts:
            return []
        import numpy  # late: with the extra alone, and 100 ms of a cold start

        given = [text[:_MOST_CHARS].encode("utf-8", "replace").decode("utf-8") for text in texts]
        with self._loading:  # loaded once; the tokenizer pads for one batch at a time
            found = self._model.embed([text if text.strip() else "." for text in given])
        vectors = numpy.asarray(found, dtype="<f4")
        lengths = numpy.linalg.norm(vectors, axis=1, keepdims=True)
        unit = numpy.divide(vectors, lengths, out=numpy.zeros_like(vectors), where=lengths > 0)
        return [row.tobytes() for row in numpy.nan_to_num(unit)]

    @cached_property
    def _model(self) -> Any:
        import wordllama  # late: as above

        # The package holds its own vectors; without this it would look for them on the network.
        own = Path(wordllama.__file__).parent
        return wordllama.WordLlama.load(cache_dir=own, disable_download=True)


def installed_embedder() -> WordLlamaEmbedder | None:
    """The embedder where the `semantic` extra is installed. Loads nothing yet."""
    there = all(importlib.util.find_spec(name) for name in ("wordllama", "numpy"))
    return WordLlamaEmbedder() if there else None
