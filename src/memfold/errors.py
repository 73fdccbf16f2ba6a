"""Every refusal and failure that memfold reports: a code, what happened, the next step.

Tests, HTTP and MCP compare ``code``; the text is read by an agent or a person, so it is one
clear sentence and never holds a complete destructive command. Translation to HTTP or MCP
happens once, at the door (``serve/``).
"""

from __future__ import annotations


class MemfoldError(Exception):
    """Anything memfold refuses or fails to do, with a next step for whoever reads it."""

    code = "internal"
    status = 500  # used by serve/http.py only
    next_step = "Run `memfold doctor` to see what is wrong."

    def __init__(self, message: str, next_step: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if next_step is not None:
            self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".strip()


class InvalidInput(MemfoldError):
    """An argument is missing, of the wrong type, out of range or unknown."""

    code = "invalid_input"
    status = 400
    next_step = "Correct the argument and call again."


class InvalidSelection(MemfoldError):
    """An id was chosen that the previous step did not show."""

    code = "invalid_selection"
    status = 409
    next_step = "Choose from the ids in the last reply, or start again with a query."


class InvalidContinuation(MemfoldError):
    """A cursor is unknown, malformed or not the caller's: one answer for all three."""

    code = "invalid_continuation"
    status = 404
    next_step = "Start again with a query."


class ExpiredContinuation(MemfoldError):
    """A cursor's 15 minutes are over."""

    code = "expired_continuation"
    status = 410
    next_step = "Start again with a query."


class ScopeChanged(MemfoldError):
    """A continuation came with another query, project or option than it was made for."""

    code = "scope_changed"
    status = 409
    next_step = "Continue with only `continuation` and `selectedIds`, or start again with a query."


class ResponseTooLarge(MemfoldError):
    """The state or the reply would exceed its limit even after shortening."""

    code = "response_too_large"
    status = 413
    next_step = "Ask for fewer entries or a smaller depth."


class NotFound(MemfoldError):
    """An id, list or project that the caller may not see or that is not there."""

    code = "not_found"
    status = 404
    next_step = "Check the id against what was listed."


class BadPayload(MemfoldError):
    """What a host or a transcript sent cannot be read as an event."""

    code = "bad_payload"
    status = 400
    next_step = "The event was left out; the session goes on."


class StoreError(MemfoldError):
    """The database cannot be used."""

    code = "store_failed"
    status = 503


class StoreTooNew(StoreError):
    """The database was written by a newer memfold."""

    code = "store_too_new"
    next_step = "Upgrade memfold, or point MEMFOLD_HOME at another directory."


class MigrationFailed(StoreError):
    """The database stays in its older schema, which this memfold cannot use."""

    code = "migration_failed"
    next_step = (
        "Go back to the memfold you had, which still can; hooks keep their events in the spool."
    )


class StoreDamaged(StoreError):
    """The database file holds what SQLite did not write."""

    code = "store_damaged"
    next_step = (
        "Run `memfold doctor --fix`: it keeps what can be read. Waiting events are in the spool."
    )


class StoreFull(StoreError):
    """The disk is full or read-only; nothing was half written."""

    code = "store_full"
    next_step = "Free space or make the data directory writable; waiting events are in the spool."


class DaemonUnavailable(MemfoldError):
    """The daemon does not answer and could not be started."""

    code = "daemon_unavailable"
    status = 503
    next_step = "Run `memfold start`, then `memfold doctor` if it fails."


class HostFileProblem(MemfoldError):
    """A host's settings file cannot be read or changed safely."""

    code = "host_file"
    next_step = "Nothing was changed. Mend the file, then run the command again."


class Busy(MemfoldError):
    """More came at once than may be held in memory; the hook keeps its event in the spool."""

    code = "busy"
    status = 503
    next_step = "Send it again in a moment."
