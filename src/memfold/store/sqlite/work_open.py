"""What is open in the agent's lists, read without what is closed, on SQLite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import apsw

from memfold.store.ports import WorkCurrent, WorkOpen
from memfold.store.sqlite.base import Base, to_json
from memfold.store.sqlite.work import SQL, in_order, value_of
from memfold.store.status import rank_of

_Key = tuple[int, str, str]  # project, list, task


class WorkOpenPart(Base):
    """Implements ports.WorkLog.open_rows."""

    def open_rows(
        self,
        project_ids: Sequence[int],
        list_name: str | None = None,
        *,
        most: int,
        mirrors: Sequence[str] = (),
    ) -> WorkOpen:
        with self._readers.connection() as db:
            db.execute("BEGIN")  # one moment for all that is read
            try:
                look = _Look(db, project_ids, list_name)
                left_out = look.bounded(most, mirrors) if len(look.projects) == 1 else look.all()
                look.add_blockers()
                return WorkOpen(in_order(look.found.values(), look.order), left_out)
            finally:
                db.execute("ROLLBACK")


class _Look:
    """Rows as they are gathered."""

    def __init__(
        self, db: apsw.Connection, project_ids: Sequence[int], list_name: str | None
    ) -> None:
        self._db = db
        self.projects = sorted(set(project_ids))
        self._where: dict[str, Any] = {"projects": to_json(self.projects), "list": list_name}
        self._of_one = list_name is not None
        self.found: dict[_Key, WorkCurrent] = {}
        names = db.execute(SQL["lists"], self._where)
        self.order = {name: at for at, (name, _) in enumerate(names)}

    def bounded(self, most: int, mirrors: Sequence[str]) -> int:
        """Of one project: the first lines, the first being done. How many open ones are left."""
        counts = self._counts()
        total = sum(open_ for open_, *_ in counts.values())
        names = sorted(counts, key=lambda name: self.order.get(name, 0))
        if not self._of_one:
            self._mirrored([name for name in names if name in mirrors], counts)
            names = [name for name in names if name not in mirrors]
        room = most
        for name in names:
            if room > 0:
                room -= self._open_of(name, room, state=counts[name][2] > 0)
        room = most
        for name in names:
            if room > 0 and counts[name][1]:
                room -= self._take("doing_of_list", name, self.projects[0], room)
        return total - self._open_ones()

    def all(self) -> int:
        """Of several projects: all that is open in any, with the same items of the others, as
        what is open in one may be closed in another. None are left."""
        for name in self._counts():
            self._open_of(name, -1)
        for _, name, task in list(self.found):
            self._add(name, task)
        for name in [self._where["list"]] if self._of_one else list(self.order):
            self._add(name, "")
        return 0

    def add_blockers(self) -> None:
        for row in list(self.found.values()):
            blocker = row.fields.get("blocked_by")
            if isinstance(blocker, str) and blocker:
                self._add(row.list_name, blocker)

    def _counts(self) -> dict[str, tuple[int, int, int]]:
        """List -> (lines open, of them items being done, of them its own state)."""
        query = SQL["open_count" if self._of_one else "open_counts"]
        return {name: tuple(counts) for name, *counts in self._db.execute(query, self._where)}

    def _mirrored(self, names: Sequence[str], counts: Mapping[str, object]) -> None:
        """All of these lists, and what of it is tracked in other lists too."""
        for name in names:
            self._open_of(name, -1)
        tasks = {row.task.casefold() for row in self.found.values() if row.task}
        if tasks and len(counts) > len(names):
            for name, task in list(self._db.execute(SQL["open_tasks"], self._where)):
                if task.casefold() in tasks:
                    self._add(name, task)

    def _open_of(self, name: str, most: int, *, state: bool = True) -> int:
        """How many open lines of a list came; all where ``most`` is negative."""
        count = 0
        for project in self.projects:
            if state:
                count += self._take("open_state", name, project, 1)
            rest = most - count if most >= 0 else -1
            count += self._take("open_of_list", name, project, rest)
        return count

    def _take(self, query: str, name: str, project: int, most: int) -> int:
        where = {"project": project, "list": name, "most": most}
        return self._keep(self._db.execute(SQL[query], where))

    def _add(self, name: str, task: str) -> None:
        self._keep(
            self._db.execute(SQL["current_item"], {**self._where, "list": name, "task": task})
        )

    def _keep(self, rows: Iterable[Sequence[Any]]) -> int:
        count = 0
        for row in rows:
            value = value_of(row)
            self.found[(value.project_id, value.list_name, value.task)] = value
            count += 1
        return count

    def _open_ones(self) -> int:
        return sum(1 for row in self.found.values() if rank_of(row.task, row.fields))
