"""How each host wants the context of a session that starts: plain text, or JSON of its own.

Source: the real binaries of Claude Code 2.1.332, Codex 0.171.0, Gemini CLI 0.61.0 and Qwen Code
0.24.4; the documentation of the others. A host that knows no such answer gets none: what it
prints for the person is no place for memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping


def _plain(text: str) -> str:
    return text


def _claudes_json(text: str) -> str:
    """Gemini CLI passes no plain text on; VS Code documents this form alone."""
    answer = {"hookEventName": "SessionStart", "additionalContext": text}
    return json.dumps({"hookSpecificOutput": answer}, ensure_ascii=False)


def _cursors_json(text: str) -> str:
    return json.dumps({"additional_context": text}, ensure_ascii=False)


def _copilots_json(text: str) -> str:
    return json.dumps({"additionalContext": text}, ensure_ascii=False)


def _nothing(_text: str) -> str:
    return ""


_FORMS: Mapping[str, Callable[[str], str]] = {
    "claude-code": _plain,
    "codex": _plain,  # its JSON is strict: one key too many and all is dropped
    "qwen-code": _plain,
    "gemini-cli": _claudes_json,
    "vscode-copilot": _claudes_json,
    "cursor": _cursors_json,
    "copilot-cli": _copilots_json,
    "windsurf": _nothing,
    # Plugins of our own making, which pass on what they get.
    "opencode": _plain,
    "pi": _plain,
    "openclaw": _plain,
}


def session_start_answer(host: str, text: str) -> str:
    """What the hook prints; '' where there is no context, or the host would not pass it on."""
    return _FORMS.get(host, _plain)(text) if text else ""
