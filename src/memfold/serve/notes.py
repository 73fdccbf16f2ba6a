"""``memory_note``: an observation written down by who has it, not made from tool uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from memfold.capture.redact import redact_json
from memfold.disclose.details import price_observation
from memfold.disclose.mode import Mode
from memfold.errors import InvalidInput
from memfold.observe.note import note_of
from memfold.records import Caller, Observation, Project, ToolReply
from memfold.store.names import named_project
from memfold.store.ports import Store

_HOST = "note"  # of what is written down outside a session


class NoteDesk:
    """Takes notes into one store. Safe to call from any thread."""

    def __init__(self, store: Store, mode: Mode, clock: Callable[[], int]) -> None:
        self._store = store
        self._mode = mode
        self._clock = clock

    def call(self, args: Mapping[str, Any], caller: Caller) -> ToolReply:
        """What was noted and under which id. Secrets are left out first. Raises InvalidInput."""
        safe, secrets = redact_json(dict(args))
        types = tuple(one.id for one in self._mode.types)
        concepts = tuple(one.id for one in self._mode.concepts)
        wanted = {**safe}
        if isinstance(wanted.get("type"), str):
            wanted["type"] = self._mode.type_ids([wanted["type"]])[-1]
        draft = note_of(wanted, types, concepts, self._clock())
        draft = replace(draft, read_tokens=price_observation(draft))
        project = self._project(args.get("project"), caller)
        host, session = self._session(project, caller)
        noted = self._store.note(project.id, host, session, draft)
        return ToolReply(self._said(noted, project, caller, sum(secrets.values())))

    def _project(self, name: object, caller: Caller) -> Project:
        if name:
            return named_project(self._store, str(name))
        if caller.project is None:
            raise InvalidInput("It is not known which project this is.", "Pass `project`.")
        return caller.project

    def _session(self, project: Project, caller: Caller) -> tuple[str, str]:
        """The caller's session where it is of this project; else one of the project and day."""
        if caller.session and caller.project is not None and caller.project.id == project.id:
            known = self._store.session(caller.host, caller.session)
            if known is None or known.project_id == project.id:
                return caller.host, caller.session
        day = datetime.fromtimestamp(self._clock() / 1000, UTC).date().isoformat()
        return _HOST, f"{project.uid} {day}"

    def _said(self, noted: Observation, project: Project, caller: Caller, secrets: int) -> str:
        draft = noted.draft
        where = "" if project == caller.project else f" in project {project.name}"
        again = f", met {noted.seen_count} times" if noted.seen_count > 1 else ""
        left_out = f" {secrets} secret{'' if secrets == 1 else 's'} left out." if secrets else ""
        return (
            f"Noted{where}: [{noted.id}] {draft.title} · {self._mode.symbol(draft.type)} "
            f"{draft.type} · ~{draft.read_tokens:,} tokens{again}.{left_out} Later sessions find "
            "it in their index and by mem_search."
        )
