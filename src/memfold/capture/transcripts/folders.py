"""Where each host keeps its session files. Standard library only: the commands ask too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

HOSTS = (
    "claude-code",
    "codex",
    "gemini-cli",
    "copilot-cli",
    "opencode",
    "cursor",
    "windsurf",
    "pi",
    "specstory",
)


def own_folders(host: str, env: Mapping[str, str], here: Path | None = None) -> list[Path]:
    """The host's own folders of sessions, there or not; at least one.

    ``here``: the directory whose ``.specstory`` is meant; the current one where it is None.
    """
    user = Path(env.get("HOME") or Path.home())
    copilot = Path(env.get("COPILOT_HOME") or user / ".copilot")
    data = Path(env.get("XDG_DATA_HOME") or user / ".local" / "share")
    return {
        "claude-code": [Path(env.get("CLAUDE_CONFIG_DIR") or user / ".claude") / "projects"],
        "codex": [Path(env.get("CODEX_HOME") or user / ".codex") / "sessions"],
        "gemini-cli": [Path(env.get("GEMINI_CLI_HOME") or user) / ".gemini" / "tmp"],
        "copilot-cli": [copilot / "session-state", copilot / "history-session-state"],
        "opencode": [data / "opencode" / "storage" / "session"],
        "cursor": [user / ".cursor" / "projects"],
        "windsurf": [user / ".windsurf" / "transcripts"],
        "pi": [Path(env.get("PI_CODING_AGENT_DIR") or user / ".pi" / "agent") / "sessions"],
        "specstory": [(here or Path.cwd()) / ".specstory" / "history"],
    }[host]
