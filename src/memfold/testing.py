"""Fakes of slow ports, for our own tests and for those of others."""

from __future__ import annotations

from memfold.observe.model.port import Answer, ModelTrouble, Question, ServerFailed


class FakeClock:
    """Unix ms that stand still until they are moved."""

    def __init__(self, now_ms: int = 1_780_000_000_000) -> None:
        self.now_ms = now_ms

    def __call__(self) -> int:
        return self.now_ms

    def pass_ms(self, ms: int) -> None:
        """Move on, or with a negative number back as a corrected clock does."""
        self.now_ms += ms


class FakeModel:
    """observe.model.port.Model that answers from a script: texts, answers and troubles, in order.

    The last one is repeated. ``questions`` holds what was asked.
    """

    name = "fake/1"

    def __init__(self, *script: str | Answer | ModelTrouble) -> None:
        self.script = list(script)
        self.questions: list[Question] = []
        self._ended = False

    def ask(self, question: Question) -> Answer:
        if self._ended:
            raise ServerFailed("memfold is ending.")
        self.questions.append(question)
        found = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(found, ModelTrouble):
            raise found
        return Answer(found, 1_000, 100) if isinstance(found, str) else found

    def cancel(self) -> None:
        self._ended = True
