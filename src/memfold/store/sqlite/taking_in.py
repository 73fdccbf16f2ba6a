"""The rows of an export taken into a store: known by what they are, ids kept where free."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import apsw

from memfold.errors import InvalidInput, StoreError
from memfold.records import Kind
from memfold.store.needs.transfer import ImportCount
from memfold.store.sqlite import full_text
from memfold.store.sqlite.base import packed, to_json
from memfold.store.sqlite.forgetting import Going, carry_out
from memfold.store.sqlite.left_behind import LeftBehind
from memfold.store.sqlite.projects import free_name
from memfold.store.sqlite.queries import named
from memfold.store.sqlite.tables import ALIASED, BY_NAME, MIRRORED, SUPERSEDED, Table
from memfold.store.sqlite.work import fold_list
from memfold.store.status import BOOKKEEPING

SQL = named("transfer")
FORGETTING = named("forgetting")
_WHOLE = ("projects", "sessions", "turns")  # every one that others name is in the file
_KIND: dict[str, Kind] = {
    "observations": "observation",
    "summaries": "summary",
    "prompts": "prompt",
}
_MADE = {"projects": {"aliases"}, "observations": {"evidence"}}
_ASKED = ("prompts", "replies", "tool_uses", "observations", "summaries", "work_state_entries")
_KNOWN = {  # table -> query for the row that this one is
    "sessions": "known_session",
    "prompts": "known_prompt",
    "replies": "known_reply",
    "tool_uses": "known_tool_use",
    "observations": "known_observation",
    "summaries": "known_summary",
    "other_memories": "known_memory",
}
_SAME = {"prompts": "same_prompts", "observations": "same_observations"}
_NTH = {  # tables whose rows have no identity but what they say
    "turns": ("known_turns", ("session_id", "started_at_ms")),
    "model_calls": (
        "known_calls",
        ("at_ms", "model", "purpose", "tokens_in", "tokens_out", "cost_micro_usd"),
    ),
}
_NAME_CHARS = 120
_KEPT = "What came before it is kept. Export again where it came from."
_Row = dict[str, Any]


class Run:
    """Implements ports.ImportRun."""

    def __init__(self, write: Callable[[Callable[[apsw.Connection], None]], None]) -> None:
        self._write = write
        self.count = ImportCount()
        self._behind = LeftBehind()
        self._columns: dict[str, dict[str, str]] = {}
        self._ids: dict[str, dict[int, int]] = {name: {} for name in _WHOLE}  # there -> here
        self._gone: dict[str, set[int]] = {}  # of the file's ids: rows that were left out
        self._met: Counter[tuple[Any, ...]] = Counter()
        self._taken: dict[str, set[int]] = {"prompts": set(), "observations": set()}
        self._lost: set[int] = set()  # sessions here that something was left out of
        self._lost_projects: set[int] = set()
        self._lists: dict[tuple[int, str], str] = {}
        self._moved_uses = False
        self._mirror_again = False
        self._first_use = 1 << 62  # of the new tool uses, here
        self._retired: set[int] = set()  # tool uses of the file

    def take(self, lines: Sequence[Mapping[str, Any]]) -> None:
        def job(db: apsw.Connection) -> None:
            self._behind.look(db)
            for line in lines:
                for name, values in line.items():
                    self._one(db, name, values)

        try:
            self._write(job)
        except StoreError as error:
            if isinstance(error.__cause__, apsw.ConstraintError):
                raise InvalidInput(
                    f"The export holds a row that does not fit ({error.__cause__}).", _KEPT
                ) from error
            raise
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise InvalidInput(
                f"The export holds a line that memfold does not write ({type(error).__name__}).",
                _KEPT,
            ) from error

    def finish(self) -> None:
        self._write(self._settle)

    def _settle(self, db: apsw.Connection) -> None:
        for project_id, name in sorted(set(self._lists.items()), key=repr):
            fold_list(db, project_id[0], name)
        if self._mirror_again:
            db.execute(SQL["lower_mirrored"], (self._first_use - 1,))
        before = _skeleton(db)
        carry_out(db, Going(), self._lost)
        wanted = {"ids": to_json(sorted(self._lost_projects))}
        for (project_id,) in list(db.execute(SQL["empty_projects"], wanted)):
            carry_out(db, Going(), set(), [project_id], (project_id,))
        for name, number in _skeleton(db).items():  # what had nothing left in it went again
            gone = min(before[name] - number, self.count.new.get(name, 0))
            if gone:
                self.count.new[name] -= gone
                self.count.forgotten[name] = self.count.forgotten.get(name, 0) + gone
        db.execute("DELETE FROM given_contexts")
        db.execute(FORGETTING["count_again"])

    def _one(self, db: apsw.Connection, name: str, values: _Row) -> None:
        if name == SUPERSEDED:
            older, newer = (self._here("observations", values[key]) for key in ("id", "by"))
            if older is not None and newer is not None:
                db.execute(SQL["set_superseded"], (newer, older))
            return
        if name == MIRRORED:
            if not self._moved_uses and not self._mirror_again:
                db.execute(SQL["set_mirrored"], (int(values["id"]),))
            return
        if name not in BY_NAME:
            raise InvalidInput(f"The export has an unknown kind of line, {name[:40]!r}.")
        table = BY_NAME[name]
        row = self._decoded(db, table, values)
        there = row.get("id")
        if not self._refer(table, row):
            self._leave_out(self.count.forgotten, table, there, row)
            return
        here = self._known(db, table, row, values)
        if here is not None:
            _one_more(self.count.known, name)
        else:
            if self._is_behind(db, table, row, values):
                return
            here = self._insert(db, table, row)
            if here is None:
                _one_more(self.count.known, name)
            else:
                _one_more(self.count.new, name)
                self._dress(db, table, here, values)
        if table.numbered and there is not None and here is not None:
            self._note(table, there, here)

    def _decoded(self, db: apsw.Connection, table: Table, values: _Row) -> _Row:
        if table.name not in self._columns:
            found = dict(db.execute(SQL["columns"], (table.name,)))
            self._columns[table.name] = {k: v for k, v in found.items() if k not in table.drop}
        columns = self._columns[table.name]
        row = {name: v for name, v in values.items() if name not in _MADE.get(table.name, ())}
        for name in row:
            if name not in columns:
                raise InvalidInput(
                    f"The export has a column {name[:40]!r} that this memfold does not know."
                )
        if table.name == "tool_uses":
            row["codec"], blobs = packed([row["input"], row["response"]])
            row["input"], row["response"] = blobs
            return row
        for name, value in row.items():
            if columns[name] == "BLOB" and value is not None:
                row[name] = bytes.fromhex(value)
        return row

    def _here(self, table: str, there: int) -> int | None:
        """The id here of a row of the file; None where it was left out."""
        if there in self._gone.get(table, ()):
            return None
        if table in _WHOLE:
            if there not in self._ids[table]:
                raise InvalidInput(f"The export names a row of {table} that it does not hold.")
            return self._ids[table][there]
        return self._ids.get(table, {}).get(there, there)

    def _refer(self, table: Table, row: _Row) -> bool:
        """The row's references become those of this store; False where one was left out."""
        for column, target in table.refs.items():
            if row[column] is None:
                continue
            row[column] = self._here(target, row[column])
            if row[column] is None:
                if table.name != "commits" or column == "project_id":
                    return False
                row |= {"subject": "", "checkout": "", "reason": "forgotten"}
        if table.name == "entry_aliases" and row["entry_id"]:
            row["entry_id"] = self._here(ALIASED[row["kind"]], row["entry_id"]) or 0
        return True

    def _known(self, db: apsw.Connection, table: Table, row: _Row, values: _Row) -> int | None:
        """The id here of the row that this one is."""
        name = table.name
        if name == "projects":
            return _known_project(db, row, values["aliases"])
        if name == "work_state_entries":
            return self._known_entry(db, row)
        if name in _NTH:
            return self._nth(db, name, row)
        if name not in _KNOWN:
            return None
        found = list(db.execute(SQL[_KNOWN[name]], row))
        if found:
            return int(found[0][0])
        return self._same(db, name, row) if name in _SAME else None

    def _known_entry(self, db: apsw.Connection, row: _Row) -> int | None:
        key = (row["project_id"], row["list_name"])
        for entry_id, name in db.execute(SQL["known_entry"], row):
            self._lists.setdefault(key, name)
            return int(entry_id)
        if key not in self._lists:
            self._lists[key] = self._list_name(db, *key)
        name = self._lists[key]
        if name != row["list_name"]:
            if any(one in json.loads(row["fields"]) for one in BOOKKEEPING):
                self._mirror_again = True
                return 0  # what a host's own tool said is mirrored here, from the calls to it
            self.count.lists[row["list_name"]] = name
        row["list_name"] = name
        return None

    def _list_name(self, db: apsw.Connection, project_id: int, name: str) -> str:
        """Another's rows are not laid over a list that was written here."""
        free, number = name, 1
        while next(db.execute(SQL["has_list"], (project_id, free)))[0]:
            ending = " (imported)" if number == 1 else f" (imported {number})"
            free, number = name[: _NAME_CHARS - len(ending)] + ending, number + 1
        return free

    def _nth(self, db: apsw.Connection, table: str, row: _Row) -> int | None:
        """The n-th of rows that look the same, for the n-th of them in the file."""
        query, columns = _NTH[table]
        key = (table, *(row[name] for name in columns))
        at, self._met[key] = self._met[key], self._met[key] + 1
        found = [int(one) for (one,) in db.execute(SQL[query], row)]
        return found[at] if at < len(found) else None

    def _same(self, db: apsw.Connection, table: str, row: _Row) -> int | None:
        """A row that says the same and is not the counterpart of another of the file."""
        for (one,) in db.execute(SQL[_SAME[table]], row):
            if one not in self._taken[table]:
                return int(one)
        return None

    def _is_behind(self, db: apsw.Connection, table: Table, row: _Row, values: _Row) -> bool:
        if table.name not in _ASKED:
            return False
        lost = self._behind.forgotten(db, table.name, row)
        if table.name == "summaries":
            lost = lost or row["session_id"] in self._lost
        if table.name == "observations" and values["evidence"]:
            gone = self._gone.get("tool_uses", set()) - self._retired
            lost = lost or not gone.isdisjoint(values["evidence"])
        if lost:
            self._leave_out(self.count.forgotten, table, row["id"], row)
        elif table.name == "tool_uses" and self._behind.retired(db, row):
            _one_more(self.count.retired, table.name)
            self._gone.setdefault(table.name, set()).add(row["id"])
            self._retired.add(row["id"])
            lost = True
        return lost

    def _leave_out(self, counts: dict[str, int], table: Table, there: Any, row: _Row) -> None:
        _one_more(counts, table.name)
        if table.numbered and there is not None:
            self._gone.setdefault(table.name, set()).add(there)
        if row.get("session_id") is not None and "session_id" in table.refs:
            self._lost.add(row["session_id"])
        if row.get("project_id") is not None:
            self._lost_projects.add(row["project_id"])

    def _insert(self, db: apsw.Connection, table: Table, row: _Row) -> int | None:
        """The new row's id; None where it has none, or a row like it is there."""
        if table.name == "projects":
            row["name"] = free_name(db, row["name"])
        there = row.get("id") if table.numbered else None
        if there is not None and not _is_free(db, table, there):
            del row["id"]
            _one_more(self.count.renumbered, table.name)
        names = list(row)
        marks = ", ".join(f":{name}" for name in names)
        db.execute(
            f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({marks})"
            + ("" if table.numbered else " ON CONFLICT DO NOTHING"),
            row,
        )
        if not table.numbered:
            return 0 if db.changes() else None
        return db.last_insert_rowid()

    def _note(self, table: Table, there: int, here: int) -> None:
        if table.name in _WHOLE or there != here:
            self._ids.setdefault(table.name, {})[there] = here
        if table.name in self._taken:
            self._taken[table.name].add(here)
        if table.name == "tool_uses":
            self._moved_uses = self._moved_uses or there != here

    def _dress(self, db: apsw.Connection, table: Table, here: int, values: _Row) -> None:
        """What belongs to a row that is new: its names, its evidence, its place in the index."""
        if table.name == "tool_uses":
            self._first_use = min(self._first_use, here)
        for kind, value in values["aliases"] if table.name == "projects" else ():
            db.execute(SQL["add_alias"], (kind, value, here))
        for there in values["evidence"] if table.name == "observations" else ():
            use = self._here("tool_uses", there)
            if use is not None:
                db.execute(SQL["link"], (here, use))
        if table.name in _KIND:
            kind = _KIND[table.name]
            found = list(full_text.contents(db, kind, "o.id = ?", (here,)))
            for entry_id, project_id, title, body in found:
                full_text.put(db, kind, entry_id, project_id, title=title, body=body)


def _known_project(db: apsw.Connection, row: _Row, aliases: list[list[str]]) -> int | None:
    """The same project, or the same code base: its names are joined."""
    found = list(db.execute(SQL["known_project"], (row["uid"],)))
    for alias in aliases:
        found += list(db.execute(SQL["known_by_alias"], alias))
    if not found:
        return None
    here = int(found[0][0])
    if row["merged_into"] is None:
        for (root,) in db.execute(SQL["merged_root"], (here,)):
            here = int(root)
    for kind, value in aliases:
        db.execute(SQL["add_alias"], (kind, value, here))
    return here


def _skeleton(db: apsw.Connection) -> dict[str, int]:
    return {name: int(next(db.execute(f"SELECT count(*) FROM {name}"))[0]) for name in _WHOLE}


def _is_free(db: apsw.Connection, table: Table, there: int) -> bool:
    """Whether a row may have that id: for what is shown, only ahead of all that were given."""
    if table.name in _KIND:
        asked = f"SELECT coalesce(max(id), 0) < ? FROM {table.name}"
        return bool(next(db.execute(asked, (there,)))[0])
    return not list(db.execute(f"SELECT 1 FROM {table.name} WHERE id = ?", (there,)))


def _one_more(counts: dict[str, int], table: str) -> None:
    counts[table] = counts.get(table, 0) + 1
