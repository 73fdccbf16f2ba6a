"""Fakes of slow ports, for our own tests and for those of others."""

from __future__ import annotations

import enum
import threading

from memfold.observe.model.port import Answer, ModelTrouble, Question, ServerFailed, TimedOut


class Hangs(enum.Enum):
    """A step of a script: no answer comes."""

    HANGS = enum.auto()


HANGS = Hangs.HANGS
Step = str | Answer | ModelTrouble | Hangs


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

    The last one is repeated. ``questions`` holds what was asked; ``asked`` is set at the first.
    """

    name = "fake/1"

    def __init__(self, *script: Step) -> None:
        self.script = list(script)
        self.questions: list[Question] = []
        self.asked = threading.Event()
        self._ended = threading.Event()

    def ask(self, question: Question) -> Answer:
        if self._ended.is_set():
            raise ServerFailed("memfold is ending.")
        self.questions.append(question)
        self.asked.set()
        found = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(found, Hangs):
            if self._ended.wait(question.timeout_s):
                raise ServerFailed("memfold is ending.")
            raise TimedOut(f"no answer within {question.timeout_s:g} s")
        if isinstance(found, ModelTrouble):
            raise found
        return Answer(found, 1_000, 100) if isinstance(found, str) else found

    def cancel(self) -> None:
        self._ended.set()
