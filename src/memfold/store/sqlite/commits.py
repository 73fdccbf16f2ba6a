"""Commits that were looked at, on SQLite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import apsw

from memfold.store.needs.history import FORGOTTEN, HISTORY_HOST, CommitLooked, CommitsTaken
from memfold.store.sqlite.base import Base, to_json
from memfold.store.sqlite.forgotten import Forgotten
from memfold.store.sqlite.observer import SQL as OBSERVER
from memfold.store.sqlite.observer import insert, overtake, title_key
from memfold.store.sqlite.queries import named

SQL = named("commits")


class CommitsPart(Base):
    """Implements ports.CommitBook."""

    def known_commits(self, project_id: int, ids: Sequence[str]) -> Collection[str]:
        asked = {"project": project_id, "ids": to_json(list(ids))}
        return {row[0] for row in self._read(SQL["known"], asked)}

    def git_head(self, project_id: int) -> str:
        found = self._read(SQL["head"], (project_id,))
        return str(found[0][0]) if found else ""

    def set_git_head(self, project_id: int, commit_id: str) -> None:
        self._write(lambda db: list(db.execute(SQL["set_head"], (project_id, commit_id))))

    def take_commits(
        self, project_id: int, checkout: str, looked: Sequence[CommitLooked]
    ) -> CommitsTaken:
        def job(db: apsw.Connection) -> CommitsTaken:
            run = _Run(db, project_id, checkout)
            for one in looked:
                run.take(one)
            if run.count["rewritten"] or run.count["met_again"]:
                db.execute("UPDATE projects SET version = version + 1 WHERE id = ?", (project_id,))
            return CommitsTaken(**run.count, left_out=tuple(run.left_out))

        return self._write(job)


class _Run:
    """Commits of one repository inside one transaction."""

    def __init__(self, db: apsw.Connection, project_id: int, checkout: str) -> None:
        self._db = db
        self._project_id = project_id
        self._checkout = checkout
        self._session_id = 0
        self.count: Counter[str] = Counter()
        self.left_out: list[str] = []
        self._forgotten = Forgotten(db, project_id)
        ((self._seen,),) = db.execute(SQL["next_seen"], (project_id,))

    def take(self, looked: CommitLooked) -> None:
        known = {"project": self._project_id, "ids": to_json([looked.id])}
        if list(self._db.execute(SQL["known"], known)):
            self.count["known"] += 1
            return
        traces = {"trace": looked.trace, "change": looked.change_trace}
        rewritten = list(
            self._db.execute(SQL["rewritten"], {"project": self._project_id, **traces})
        )
        if rewritten:
            observation_id, reason = rewritten[0]
            self.count["rewritten"] += 1
        else:
            observation_id, reason = self._stored(looked)
        self._db.execute(
            SQL["put"],
            {
                "commit": looked.id,
                "project": self._project_id,
                "observation": observation_id,
                "reason": reason,
                "subject": looked.subject if observation_id else "",
                "checkout": self._checkout,
                "seen": self._seen,
                **traces,
            },
        )
        self._seen += 1

    def _stored(self, looked: CommitLooked) -> tuple[int | None, str]:
        """The observation it came to, or why there is none."""
        draft = looked.draft
        if draft is None or self._forgotten.spans(HISTORY_HOST, "", draft.at_ms):
            reason = looked.reason if draft is None else FORGOTTEN
            self.left_out.append(reason)
            return None, reason
        same = list(self._db.execute(SQL["same_title"], (self._project_id, title_key(draft.title))))
        if same:
            observation_id = int(same[0][0])
            # What a session learned from this very commit is the same fact, not one met again.
            if list(self._db.execute(SQL["is_of_a_commit"], (observation_id,))):
                self._db.execute(OBSERVER["strengthen"], {"id": observation_id, "at": draft.at_ms})
            self.count["met_again"] += 1
        else:
            observation_id = insert(self._db, self._project_id, self._session(looked), draft)
            self.count["observations"] += 1
        self._take_back(looked, observation_id)
        return observation_id, ""

    def _take_back(self, looked: CommitLooked, observation_id: int) -> None:
        found: list[tuple[int]] = []
        if looked.reverts:
            span = {"from": looked.reverts, "until": f"{looked.reverts}g"}  # g follows the digits
            found = list(self._db.execute(SQL["by_id"], {"project": self._project_id, **span}))
        elif looked.reverted_subject:
            named_so = (self._project_id, looked.reverted_subject)
            found = list(self._db.execute(SQL["by_subject"], named_so))
        if found and found[0][0] != observation_id:
            self.count["superseded"] += overtake(
                self._db, self._project_id, found[0][0], observation_id
            )

    def _session(self, looked: CommitLooked) -> int:
        """The session that a project's history is filed under, as wide as what is in it."""
        if not self._session_id:
            ((uid,),) = self._db.execute(
                "SELECT uid FROM projects WHERE id = ?", (self._project_id,)
            )
            at_ms = looked.draft.at_ms if looked.draft else 0
            began = {"host": HISTORY_HOST, "session": uid, "project": self._project_id, "at": at_ms}
            self._db.execute(OBSERVER["note_session"], began)
            ((self._session_id,),) = self._db.execute(
                OBSERVER["note_session_id"], (HISTORY_HOST, uid)
            )
        at_ms = looked.draft.at_ms if looked.draft else 0
        wider = {"id": self._session_id, "at": at_ms, "cwd": self._checkout}
        self._db.execute(SQL["widen_session"], wider)
        return self._session_id
