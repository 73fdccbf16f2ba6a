"""Install and uninstall for Claude Code. The promise: twice is a no-op, uninstall gives the file
back byte for byte, and nothing of anybody else's is touched."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Literal

import pytest

from memfold.errors import HostFileProblem
from memfold.hosts import claude_code, programs, quick
from memfold.hosts.claude_code import EVENTS, Http, Target
from memfold.hosts.files import Record
from memfold.hosts.plan import carry_out

HAND_WRITTEN = """\
{
    "model": "opus",
    "permissions": { "allow": [ "Bash(make *)" ] },
    "hooks": {
        "Stop": [
            { "hooks": [ { "type": "command", "command": "say done" } ] }
        ]
    }
}
"""


class Desk:
    """A person's Claude Code configuration and data directory."""

    def __init__(self, root: Path) -> None:
        self.config, self.home, self.project = root / "config", root / "home", root / "project"
        for folder in (self.config, self.home, self.project):
            folder.mkdir()
        self.settings = self.config / "settings.json"
        self.servers = self.config / ".claude.json"

    def target(
        self,
        scope: Literal["user", "project"] = "user",
        *,
        python: str = "/opt/venv/bin/python",
        http: Http | None = None,
    ) -> Target:
        env = {"CLAUDE_CONFIG_DIR": str(self.config), "HOME": str(self.home)}
        return Target.at(scope, project=self.project, env=env, python=python, http=http)

    def install(self, target: Target | None = None) -> int:
        """How many files changed."""
        record = Record.load(self.home, claude_code.HOST)
        plans = claude_code.install_plans(target or self.target(), record)
        carry_out(plans, record, installed=True)
        return sum(plan.change.changes for plan in plans)

    def uninstall(self, target: Target | None = None) -> int:
        record = Record.load(self.home, claude_code.HOST)
        plans = claude_code.uninstall_plans(target or self.target(), record)
        carry_out(plans, record, installed=False)
        return sum(plan.change.changes for plan in plans)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize("perl", ["", "/usr/bin/perl"])
def test_hooks_are_commands_without_a_shell(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, perl: str
) -> None:
    """Exec form: a program and its arguments, so that no path needs quoting."""
    monkeypatch.setattr(quick, "perl", lambda: perl)
    desk.install()
    hooks = json.loads(desk.settings.read_text())["hooks"]
    assert set(hooks) == {*EVENTS, "PreToolUse"}
    for groups in hooks.values():
        (hook,) = groups[0]["hooks"]
        assert hook["type"] == "command"
        *before, python, isolated, no_site, program, host = programs.words_of(hook)
        assert before == (quick.words(perl) if perl else [])
        assert (python, isolated, no_site, host) == (
            "/opt/venv/bin/python", "-I", "-S", "claude-code",
        )  # fmt: skip
        assert Path(program).is_file()
        assert programs.is_quick(hook) is bool(perl)
        assert hook["timeout"] >= 10


def test_the_server_stands_in_the_file_claude_code_reads(desk: Desk) -> None:
    desk.install()
    server = json.loads(desk.servers.read_text())["mcpServers"]["memfold"]
    assert server["args"][:2] == ["-I", "-S"]


def test_without_a_config_directory_the_files_lie_at_home(tmp_path: Path) -> None:
    target = Target.at("user", project=tmp_path, env={"HOME": "/home/u"}, python="python")
    assert target.settings == Path("/home/u/.claude/settings.json")
    assert target.servers == Path("/home/u/.claude.json")


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(HAND_WRITTEN.encode(), id="hand_written"),
        pytest.param(HAND_WRITTEN.replace("\n", "\r\n").encode(), id="crlf"),
        pytest.param(b"\xef\xbb\xbf" + HAND_WRITTEN.encode(), id="byte_order_mark"),
        pytest.param(b"{}", id="empty_object"),
        pytest.param(b'{"model":"opus","hooks":{"Stop":[]}}', id="one_line"),
        pytest.param(b"", id="empty_file"),
        pytest.param(b"{\n  // mine\n}\n", id="only_a_comment"),
        pytest.param(b'{\n  "model": "opus",\n  /* mine */ "hooks": {},\n}\n', id="trailing_comma"),
        pytest.param(b'{"env": {"A": "b"}}\r\n', id="one_line_crlf"),
        pytest.param(b"\n\n  {\n}\n\n", id="blank_lines_around"),
        pytest.param(b'{"hooks": {"Stop": []}, "hooks": {"Stop": []}}', id="a_key_twice"),
        pytest.param('{\n\t"name": "Zoë 🙂"\n}'.encode(), id="tabs_and_no_last_line_end"),
    ],
)
def test_uninstall_gives_back_the_very_bytes(desk: Desk, before: bytes) -> None:
    desk.settings.write_bytes(before)
    assert desk.install() == 2
    assert desk.settings.read_bytes() != before
    assert desk.install() == 0, "twice is a no-op"
    desk.uninstall()
    assert desk.settings.read_bytes() == before
    assert not desk.servers.exists(), "a file we made is removed again"
    assert desk.uninstall() == 0


def test_foreign_parts_keep_their_place_and_form(desk: Desk) -> None:
    desk.settings.write_text(HAND_WRITTEN)
    desk.install()
    text = desk.settings.read_text()
    assert text.startswith(HAND_WRITTEN[: HAND_WRITTEN.index('"hooks"')])
    assert '{ "hooks": [ { "type": "command", "command": "say done" } ] }' in text
    assert json.loads(text)["hooks"]["Stop"][0]["hooks"][0]["command"] == "say done"


def test_what_was_changed_since_stays_and_ours_goes(desk: Desk) -> None:
    desk.settings.write_text(HAND_WRITTEN)
    desk.install()
    later = desk.settings.read_text().replace('"opus"', '"sonnet"')
    desk.settings.write_text(later)
    servers = json.loads(desk.servers.read_text()) | {"numStartups": 3}
    desk.servers.write_text(json.dumps(servers))
    desk.uninstall()
    assert desk.settings.read_text() == HAND_WRITTEN.replace('"opus"', '"sonnet"')
    assert json.loads(desk.servers.read_text()) == {"numStartups": 3}


def test_ours_is_found_without_the_record(desk: Desk) -> None:
    """The data directory may be gone when a person uninstalls."""
    desk.settings.write_text(HAND_WRITTEN)
    desk.install()
    for kept in (desk.home / "backups").iterdir():
        kept.unlink()
    desk.uninstall()
    left = json.loads(desk.settings.read_text())
    assert "memfold" not in desk.settings.read_text()
    assert left["hooks"]["Stop"] == json.loads(HAND_WRITTEN)["hooks"]["Stop"]
    assert "memfold" not in json.loads(desk.servers.read_text())["mcpServers"]


def test_another_python_replaces_our_entries_and_still_comes_out_clean(desk: Desk) -> None:
    desk.settings.write_text(HAND_WRITTEN)
    desk.install()
    assert desk.install(desk.target(python="/new/venv/bin/python")) == 2
    text = desk.settings.read_text()
    assert "/opt/venv" not in text
    assert text.count("/new/venv/bin/python") == len(EVENTS) + 1
    desk.uninstall()
    assert desk.settings.read_text() == HAND_WRITTEN


def test_the_quick_hook_replaces_the_older_command_and_comes_out_clean(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.settings.write_text(HAND_WRITTEN)
    monkeypatch.setattr(quick, "perl", lambda: "")
    desk.install()
    assert "quick.pl" not in desk.settings.read_text()
    monkeypatch.setattr(quick, "perl", lambda: "/usr/bin/perl")
    assert desk.install() == 1, "the settings; the server is no hook"
    text = desk.settings.read_text()
    assert text.count("quick.pl") == text.count("/opt/venv/bin/python") == len(EVENTS) + 1
    assert desk.install() == 0
    desk.uninstall()
    assert desk.settings.read_text() == HAND_WRITTEN


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b'{"hooks": {', "not valid JSON: line 1, column 12"),
        (b"[1, 2]", "something other than a JSON object"),
        (b'{"hooks": []}', "`hooks` is not an object"),
        (b'{"hooks": {"Stop": {}}}', "`hooks.Stop` is not a list"),
        (b"\xff\xfe{\x00}\x00", "not UTF-8"),
    ],
)
def test_a_file_we_cannot_read_is_refused_and_nothing_changes(
    desk: Desk, body: bytes, says: str
) -> None:
    desk.settings.write_bytes(body)
    with pytest.raises(HostFileProblem) as refused:
        desk.install()
    assert says in str(refused.value)
    assert "Nothing was changed" in str(refused.value)
    assert desk.settings.read_bytes() == body
    assert not desk.servers.exists()


def test_a_link_is_written_through_and_permissions_stay(desk: Desk, tmp_path: Path) -> None:
    """Settings are often a link into a repository of dotfiles."""
    real = tmp_path / "dotfiles.json"
    real.write_text(HAND_WRITTEN)
    real.chmod(0o640)
    desk.settings.symlink_to(real)
    desk.install()
    assert desk.settings.is_symlink()
    assert "memfold" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    desk.uninstall()
    assert desk.settings.is_symlink()
    assert real.read_text() == HAND_WRITTEN


def test_project_scope_makes_and_removes_its_folder(desk: Desk) -> None:
    project = desk.target("project")
    desk.install(project)
    assert (desk.project / ".claude" / "settings.json").is_file()
    assert (desk.project / ".mcp.json").is_file()
    assert not desk.settings.exists()
    desk.uninstall(project)
    assert list(desk.project.iterdir()) == []


def test_http_hooks_for_what_each_tool_call_pays(desk: Desk) -> None:
    """What comes once a turn rings the doorbell, which starts a daemon where there is none."""
    desk.install(desk.target(http=Http(4711, "hush")))
    hooks = json.loads(desk.settings.read_text())["hooks"]
    kinds = {event: groups[0]["hooks"][0]["type"] for event, groups in hooks.items()}
    over_http = {event for event, kind in kinds.items() if kind == "http"}
    assert over_http == {"PostToolUse", "PostToolUseFailure", "SubagentStop"}
    assert {kinds[event] for event in ("SessionStart", "UserPromptSubmit", "Stop")} == {"command"}
    assert stat.S_IMODE(desk.settings.stat().st_mode) == 0o600, "it holds the secret"
    desk.uninstall()
    assert not desk.settings.exists()


def test_a_server_of_the_same_name_set_up_by_hand_is_left_alone(desk: Desk) -> None:
    by_hand = '{"mcpServers": {"memfold": {"command": "memfold", "args": ["mcp"]}}}'
    desk.servers.write_text(by_hand)
    desk.install()
    assert desk.servers.read_text() == by_hand
    assert claude_code.foreign_server(desk.target())
    desk.uninstall()
    assert desk.servers.read_text() == by_hand


def test_a_file_changed_at_this_moment_is_not_overwritten(desk: Desk) -> None:
    """Claude Code rewrites its own file while it runs."""
    desk.servers.write_text("{}")
    record = Record.load(desk.home, claude_code.HOST)
    plans = claude_code.install_plans(desk.target(), record)
    desk.servers.write_text('{"numStartups": 1}')
    with pytest.raises(HostFileProblem, match="changed by another program"):
        carry_out(plans, record, installed=True)
    assert desk.servers.read_text() == '{"numStartups": 1}'
    desk.install()
    desk.uninstall()
    assert desk.servers.read_text() == '{"numStartups": 1}'


def test_a_read_only_file_is_refused_before_any_is_written(desk: Desk) -> None:
    """A file that nobody may write is made elsewhere, from a template or a package."""
    desk.servers.write_text("{}")
    desk.servers.chmod(0o444)
    with pytest.raises(HostFileProblem, match=r"is read-only\. Nothing was changed"):
        desk.install()
    assert desk.servers.read_text() == "{}"
    assert not desk.settings.exists()


def test_a_read_only_folder_is_one_sentence(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may write anywhere, so the folder is a file here: the same kind of refusal."""
    desk.config.rmdir()
    desk.config.write_text("not a folder")
    with pytest.raises(HostFileProblem, match="cannot be"):
        desk.install()
