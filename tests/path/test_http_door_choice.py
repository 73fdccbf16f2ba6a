"""Whether http hooks are chosen: where nobody else could listen on our port."""

from __future__ import annotations

import os
import pwd

import pytest

from memfold.cli.http_door import others_have_accounts

OWN = os.getuid()


def account(uid: int, shell: str = "/bin/bash") -> pwd.struct_passwd:
    return pwd.struct_passwd(("name", "x", uid, uid, "", "/home/name", shell))


ALONE = [account(OWN), account(3, "/usr/sbin/nologin"), account(65_534, "/bin/sh")]


def test_services_and_oneself_are_nobody_else() -> None:
    assert not others_have_accounts([*ALONE, account(OWN + 20_000, "/usr/sbin/nologin")])


@pytest.mark.parametrize("accounts", [[*ALONE, account(OWN + 20_000)], [], [account(OWN + 7)]])
def test_another_person_or_a_list_that_cannot_be_had(accounts: list[pwd.struct_passwd]) -> None:
    """Source: ADR on http hooks: who listens on the port while no daemon does gets tool texts."""
    assert others_have_accounts(accounts)
