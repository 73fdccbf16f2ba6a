"""Install and uninstall for Codex. The promises are Claude Code's, and: trust is Codex's own."""

from __future__ import annotations

import json
import shlex
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pytest

from memfold.errors import HostFileProblem
from memfold.hosts import codex, quick
from memfold.hosts.codex import EVENTS, Target
from memfold.hosts.files import Record
from memfold.hosts.plan import carry_out

CONFIG = '# mine\nmodel = "gpt-5.5"  # keep\n\n[mcp_servers.other]\ncommand = "other"\n'
HOOKS = '{\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}\n}'


def hashes(hooks_json: bytes) -> Mapping[str, str]:
    """As Codex gives them: one an event, changed when the command changes."""
    command = next(word for word in hooks_json.decode().split('"') if "hook.py" in word)
    return {event: f"sha256:{event}-{len(command)}" for event in EVENTS}


class Desk:
    """A person's Codex home and data directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.codex, self.home, self.project = root / "codex", root / "home", root / "project"
        for folder in (self.codex, self.home, self.project):
            folder.mkdir()
        self.hooks, self.config = self.codex / "hooks.json", self.codex / "config.toml"

    def target(
        self, scope: Literal["user", "project"] = "user", *, python: str = "/opt/bin/python",
        asks: codex.Hashes = hashes, required: bool = False,
    ) -> Target:  # fmt: skip
        env = {"CODEX_HOME": str(self.codex), "HOME": str(self.home)}
        return Target.at(
            scope, project=self.project, env=env, python=python, hashes=asks, required=required
        )

    def install(self, target: Target | None = None) -> int:
        """How many files changed."""
        record = Record.load(self.home, codex.HOST)
        plans = codex.install_plans(target or self.target(), record)
        carry_out(plans, record, installed=True)
        return sum(plan.change.changes for plan in plans)

    def uninstall(self, target: Target | None = None) -> int:
        record = Record.load(self.home, codex.HOST)
        plans = codex.uninstall_plans(target or self.target(), record)
        carry_out(plans, record, installed=False)
        return sum(plan.change.changes for plan in plans)

    def told(self) -> dict[str, Any]:
        return tomllib.loads(self.config.read_text().removeprefix("\ufeff"))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize("perl", ["", "/usr/bin/perl"])
def test_hooks_are_commands_only_and_the_same_for_every_event(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, perl: str
) -> None:
    """Codex drops the whole file for one hook of a type it does not know."""
    monkeypatch.setattr(quick, "perl", lambda: perl)
    desk.install()
    hooks = json.loads(desk.hooks.read_text())["hooks"]
    assert set(hooks) == set(EVENTS)
    commands = set()
    for event, groups in hooks.items():
        (hook,) = groups[0]["hooks"]
        assert set(hook) == {"type", "command", "timeout"}
        assert hook["type"] == "command"
        assert hook["timeout"] == EVENTS[event]
        commands.add(hook["command"])
    (command,) = commands
    words = shlex.split(command)
    *before, python, isolated, no_site, program, host = words
    assert before == (quick.words(perl) if perl else [])
    assert (python, isolated, no_site, host) == ("/opt/bin/python", "-I", "-S", "codex")
    assert Path(program).is_file()


def test_server_and_trust_stand_in_the_config(desk: Desk) -> None:
    desk.config.write_text(CONFIG)
    desk.install()
    assert desk.config.read_text().startswith(CONFIG)
    told = desk.told()
    assert told["mcp_servers"]["memfold"]["args"][-1] == "codex"
    assert "required" not in told["mcp_servers"]["memfold"]
    assert set(told["mcp_servers"]) == {"other", "memfold"}
    state = told["hooks"]["state"]
    assert len(state) == len(EVENTS)
    assert state[f"{desk.hooks}:session_start:0:0"]["trusted_hash"].startswith(
        "sha256:SessionStart-"
    )
    assert codex.untrusted(desk.target()) == []


def test_codex_waits_for_the_server_only_when_that_is_wished(desk: Desk) -> None:
    desk.install(desk.target(required=True))
    assert desk.told()["mcp_servers"]["memfold"]["required"] is True


def test_trust_counts_the_hooks_before_ours(desk: Desk) -> None:
    desk.hooks.write_text(HOOKS)
    desk.install()
    assert f"{desk.hooks}:stop:1:0" in desk.told()["hooks"]["state"]
    assert f"{desk.hooks}:stop:0:0" not in desk.told()["hooks"]["state"], "theirs is theirs"


def test_trust_of_an_earlier_python_is_replaced(desk: Desk) -> None:
    desk.install()
    earlier = desk.told()["hooks"]["state"]
    assert desk.install(desk.target(python="/another/place/bin/python")) == 2
    state = desk.told()["hooks"]["state"]
    assert state.keys() == earlier.keys()
    assert all(state[key] != earlier[key] for key in state)


def test_without_codex_at_hand_trust_is_left_to_the_person(desk: Desk) -> None:
    unasked = desk.target(asks=lambda _body: {})
    desk.install(unasked)
    assert "hooks" not in desk.told()
    assert codex.untrusted(unasked) == list(EVENTS)
    desk.install()
    trusted = desk.config.read_bytes()
    assert desk.install(unasked) == 0, "trust that stands there stays"
    assert desk.config.read_bytes() == trusted


CONFIGS = {
    "commented": CONFIG.encode(),
    "crlf": CONFIG.replace("\n", "\r\n").encode(),
    "no_last_line_end": CONFIG.rstrip("\n").encode(),
    "byte_order_mark": b"\xef\xbb\xbf" + CONFIG.encode(),
    "empty": b"",
    "only_a_comment": b"# mine\n",
    "tabs": b'[tui]\n\tnotifications = true\n\t# mine\n[mcp_servers.a]\n\tcommand = "a"\n',
    "foreign_hooks": b'[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "x"\n',
    "dotted": b'mcp_servers.foo.command = "x"\n',
    "foreign_trust": b'[hooks.state."/h:stop:0:0"]\ntrusted_hash = "sha256:aa"\n',
    "our_name_in_text": b'notes = """\n[mcp_servers.memfold]\n"""\n',
}
HOOK_FILES = {
    "none": None,
    "foreign": HOOKS.encode(),
    "foreign_crlf": HOOKS.replace("\n", "\r\n").encode(),
    "byte_order_mark": b"\xef\xbb\xbf" + HOOKS.encode(),
    "empty": b"",
    "empty_object": b"{}\n",
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
@pytest.mark.parametrize("hooks", HOOK_FILES.values(), ids=HOOK_FILES.keys())
def test_uninstall_gives_back_the_very_bytes(
    desk: Desk, config: bytes, hooks: bytes | None
) -> None:
    desk.config.write_bytes(config)
    if hooks is not None:
        desk.hooks.write_bytes(hooks)
    assert desk.install() == 2
    assert desk.install() == 0, "twice is a no-op"
    assert codex.untrusted(desk.target()) == []
    assert desk.uninstall() == 2
    assert desk.config.read_bytes() == config
    assert (desk.hooks.read_bytes() if desk.hooks.exists() else None) == hooks
    assert desk.uninstall() == 0


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
def test_what_codex_wrote_since_stays(desk: Desk, config: bytes) -> None:
    """Codex adds each project that the person trusts."""
    desk.config.write_bytes(config)
    desk.install()
    own = b'\n[projects."/later"]\ntrust_level = "trusted"\n'
    own = own.replace(b"\n", b"\r\n") if b"\r\n" in config else own
    body = desk.config.read_bytes()
    closed = body if body.endswith(b"\n") else body + b"\n"
    desk.config.write_bytes(closed + own)
    desk.uninstall()
    left = desk.config.read_bytes()
    assert left.startswith(config)
    assert left.endswith(own)
    assert left.count(b"memfold") == config.count(b"memfold")


def test_ours_is_found_without_the_record(desk: Desk) -> None:
    desk.config.write_text(CONFIG)
    desk.hooks.write_text(HOOKS)
    desk.install()
    for kept in (desk.home / "backups").iterdir():
        kept.unlink()
    desk.uninstall()
    assert desk.config.read_text() == CONFIG
    assert json.loads(desk.hooks.read_text())["hooks"]["Stop"] == json.loads(HOOKS)["hooks"]["Stop"]
    assert "memfold" not in desk.hooks.read_text()


@pytest.mark.parametrize(
    ("name", "body", "says"),
    [
        ("config.toml", b"model = \n", "not valid TOML"),
        ("config.toml", b'mcp_servers = { a = { command = "x" } }\n', "does not edit"),
        ("config.toml", b"\xff\xfem\x00", "not UTF-8"),
        ("hooks.json", b'{"hooks": {', "not valid JSON"),
        ("hooks.json", b'{"hooks": {"Stop": {}}}', "`hooks.Stop` is not a list"),
        ("hooks.json", b"[]", "something other than a JSON object"),
    ],
)
def test_a_broken_file_is_refused_and_nothing_is_written(
    desk: Desk, name: str, body: bytes, says: str
) -> None:
    path = desk.codex / name
    path.write_bytes(body)
    with pytest.raises(HostFileProblem) as refused:
        desk.install()
    assert says in str(refused.value)
    assert "Nothing was changed" in str(refused.value)
    assert path.read_bytes() == body
    assert [one.name for one in desk.codex.iterdir()] == [name]


def test_links_are_written_through_and_permissions_stay(desk: Desk) -> None:
    real = desk.root / "dotfiles.toml"
    real.write_text(CONFIG)
    real.chmod(0o640)
    desk.config.symlink_to(real)
    desk.install()
    assert desk.config.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert stat.S_IMODE(desk.hooks.stat().st_mode) == 0o600
    desk.uninstall()
    assert real.read_text() == CONFIG


def test_a_linked_home_is_named_as_codex_names_it(desk: Desk) -> None:
    """Source: the real binary: CODEX_HOME is resolved, and trust goes by that name."""
    link = desk.root / "link"
    link.symlink_to(desk.codex)
    target = Target.at("user", project=desk.project, env={"CODEX_HOME": str(link)}, python="p")
    assert target.hooks == desk.hooks.resolve()


def test_project_scope_keeps_trust_with_the_person(desk: Desk) -> None:
    target = desk.target("project")
    desk.config.write_text(CONFIG)
    assert desk.install(target) == 3
    own = desk.project / ".codex"
    assert "memfold" in tomllib.loads((own / "config.toml").read_text())["mcp_servers"]
    assert f"{own / 'hooks.json'}:stop:0:0" in desk.told()["hooks"]["state"]
    assert not desk.hooks.exists()
    assert desk.install(target) == 0
    desk.uninstall(target)
    assert desk.config.read_text() == CONFIG
    assert list(desk.project.iterdir()) == []


def test_user_and_project_scope_come_out_in_any_order(desk: Desk) -> None:
    """Both keep trust in the person's one file."""
    desk.config.write_text(CONFIG)
    desk.install()
    desk.install(desk.target("project"))
    desk.uninstall()
    assert codex.untrusted(desk.target("project")) == []
    desk.uninstall(desk.target("project"))
    assert desk.told() == tomllib.loads(CONFIG)


def test_a_server_of_the_same_name_set_up_by_hand_is_left_alone(desk: Desk) -> None:
    by_hand = '[mcp_servers.memfold]\ncommand = "memfold"\nargs = ["mcp"]\n'
    desk.config.write_text(by_hand)
    desk.install()
    assert desk.config.read_text().startswith(by_hand)
    assert codex.foreign_server(desk.target())
    desk.uninstall()
    assert desk.config.read_text() == by_hand


def test_agents_md_is_not_touched(desk: Desk) -> None:
    (desk.codex / "AGENTS.md").write_text("Be brief.\n")
    desk.install()
    assert (desk.codex / "AGENTS.md").read_text() == "Be brief.\n"
    desk.uninstall()
    assert (desk.codex / "AGENTS.md").read_text() == "Be brief.\n"
