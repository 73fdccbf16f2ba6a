"""Which project a checkout belongs to, on SQLite."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from memfold.errors import InvalidInput, NotFound
from memfold.records import Alias, Project
from memfold.store.ports import ProjectCount
from memfold.store.sqlite import full_text
from memfold.store.sqlite.base import Base, new_uid
from memfold.store.sqlite.queries import named
from memfold.store.sqlite.work import fold_again

SQL = named("projects")
COMMITS = named("commits")
_OWNED = (
    "sessions",
    "prompts",
    "observations",
    "summaries",
    "work_state_entries",
    "gate_decisions",
)


class ProjectsPart(Base):
    """Implements ports.ProjectBook."""

    def by_alias(self, alias: Alias) -> Project | None:
        rows = self._read(SQL["by_alias"], (alias.kind, alias.value))
        return Project(*rows[0]) if rows else None

    def by_name(self, name: str) -> Project | None:
        rows = self._read(SQL["by_name"], (name,))
        return Project(*rows[0]) if rows else None

    def aliases(self, project_id: int) -> tuple[Alias, ...]:
        return tuple(Alias(*row) for row in self._read(SQL["aliases"], (project_id,)))

    def create(self, name: str, aliases: Sequence[Alias]) -> Project:
        def job(db: apsw.Connection) -> Project:
            for alias in aliases[:1]:
                taken = list(db.execute(SQL["by_alias"], (alias.kind, alias.value)))
                if taken:
                    return Project(*taken[0])
            free = free_name(db, name.strip() or "project")
            uid = new_uid()
            db.execute(SQL["insert"], (uid, free))
            project = Project(db.last_insert_rowid(), uid, free)
            for alias in aliases:
                db.execute(SQL["add_alias"], (alias.kind, alias.value, project.id))
            return project

        return self._write(job)

    def add_aliases(self, project_id: int, aliases: Sequence[Alias]) -> None:
        def job(db: apsw.Connection) -> None:
            for alias in aliases:
                db.execute(SQL["add_alias"], (alias.kind, alias.value, project_id))

        self._write(job)

    def move_alias(self, alias: Alias, project_id: int) -> None:
        row = (alias.kind, alias.value, project_id)
        self._write(lambda db: list(db.execute(SQL["move_alias"], row)))

    def all_projects(self) -> tuple[ProjectCount, ...]:
        return tuple(
            ProjectCount(Project(*row[:3]), self.aliases(row[0]), *row[3:])
            for row in self._read(SQL["counts"])
        )

    def rename(self, project_id: int, name: str) -> Project:
        wanted = " ".join(name.split())
        if not wanted:
            raise InvalidInput("A project's name cannot be empty.", "Give it a name.")

        def job(db: apsw.Connection) -> Project:
            owner = list(db.execute(SQL["by_name"], (wanted,)))
            if owner and owner[0][0] != project_id:
                raise InvalidInput(
                    f"Another project is named {wanted!r}.", "Choose another name, or merge them."
                )
            db.execute(SQL["rename"], (wanted, project_id))
            rows = list(db.execute(SQL["by_name"], (wanted,)))
            if not rows:
                raise NotFound(f"There is no project {project_id}.")
            return Project(*rows[0])

        return self._write(job)

    def merge(self, source_ids: Sequence[int], target_id: int) -> Project:
        def job(db: apsw.Connection) -> Project:
            for source in dict.fromkeys(source_ids):
                if source != target_id:
                    _merge_one(db, source, target_id)
            db.execute(SQL["bump"], (target_id,))
            rows = list(db.execute("SELECT id, uid, name FROM projects WHERE id = ?", (target_id,)))
            if not rows:
                raise NotFound(f"There is no project {target_id}.")
            return Project(*rows[0])

        return self._write(job)


def free_name(db: apsw.Connection, name: str) -> str:
    candidate, number = name, 1
    while list(db.execute(SQL["name_taken"], (candidate,))):
        number += 1
        candidate = f"{name}-{number}"
    return candidate


def _merge_one(db: apsw.Connection, source: int, target: int) -> None:
    full_text.move_project(db, source, target)
    for table in _OWNED:
        db.execute(f"UPDATE {table} SET project_id = ? WHERE project_id = ?", (target, source))
    db.execute(COMMITS["move"], (target, source))
    db.execute("DELETE FROM commits WHERE project_id = ?", (source,))
    db.execute("DELETE FROM git_heads WHERE project_id = ?", (source,))
    fold_again(db, source, target)
    db.execute("UPDATE project_aliases SET project_id = ? WHERE project_id = ?", (target, source))
    db.execute(SQL["add_totals"], (source, target))
    db.execute(SQL["mark_merged"], (target, source))
