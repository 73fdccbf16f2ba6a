"""Things of the shop."""

import os
from typing import (
    Any,
)

LIMIT = 10
_hidden: int = 1


# What is bought.
@decorated(1)
class Basket(Base):
    """What is bought."""

    size: int = 0

    def __init__(self, size: int) -> None:
        self.size = size

    @property
    def total(self) -> int:
        """How many there are."""

        def inner() -> int:
            return 1

        return inner()

    async def _load(
        self,
        path: str,
    ) -> Any:
        return os.fspath(path)

    class Part:
        pass


def add(item: str, /, *more: str) -> None:
    pass


if LIMIT:

    def conditional():
        pass
