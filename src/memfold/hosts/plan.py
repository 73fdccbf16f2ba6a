"""What install and uninstall would do to one file each, and doing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memfold.hosts import files
from memfold.hosts.edit import Place
from memfold.hosts.files import Change, Record, Written

Scope = Literal["user", "project"]


@dataclass(frozen=True, slots=True)
class Plan:
    """One file's change, and what the record keeps of it."""

    change: Change
    base: bytes | None = None  # what the file is without us
    made: tuple[Place, ...] = ()  # rooms made for us; uninstalling, what of ours is to stay
    what: str = ""  # the change in a few words, for the person


def carry_out(plans: tuple[Plan, ...], record: Record, *, installed: bool) -> None:
    """Write the changes and the record, so that a stop half-way can still be undone."""
    for plan in plans:  # before the first is written
        files.refuse_read_only(plan.change)
    for plan in plans:
        path, name = plan.change.path, str(plan.change.path)
        if not installed:
            files.apply(plan.change)
            gone = record.files.pop(name, None)
            if gone is not None and plan.made and plan.change.after is not None:
                rest = files.digest(plan.change.after)  # another scope is still in there
                record.files[name] = Written(rest, gone.backup, plan.made, gone.folders)
            elif gone is not None:
                files.remove_folders(gone.folders)
            record.save()
        elif plan.change.changes and plan.change.after is not None:
            earlier = record.files.get(name)
            backup = record.keep(path, plan.base)
            written = Written(files.digest(plan.change.after), backup, plan.made)
            record.files[name] = written
            record.save()  # first: then an interrupted write is known about
            folders = files.apply(plan.change) or (earlier.folders if earlier else ())
            record.files[name] = Written(written.after_sha256, backup, plan.made, folders)
            record.save()
