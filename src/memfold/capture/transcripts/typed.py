"""What the user typed, among the many things that stand in a user's line of Claude Code."""

from __future__ import annotations

import re
from typing import Any

from memfold.capture.shared_events import is_prompt
from memfold.capture.transcripts.lines import as_text

IMAGE = "[image]"
_COMMAND = re.compile(r"<command-name>([^<]{0,200})</command-name>")
# Each ends at the next one of its kind, so that many unclosed ones cost no more than one.
_ASIDES = [
    re.compile(rf"<({tag})>(?:(?!<{tag}>).)*?</\1>", re.DOTALL)
    for tag in ("system-reminder", "ide_[a-z_]{1,40}")
]
# Commands of the program itself: nothing reaches the agent. Named in 2.1.332 and older versions.
_LOCAL = frozenset(
    """access add-dir advisor agents artifacts auto-mode-setup autocompact background bashes branch
    brief bug cd chrome clear cloud-plugins color compact config context copy cost daemon desktop
    diff doctor effort exit export extra-usage fast feedback files focus heapdump help hooks ide
    import install install-github-app install-slack-app keybindings list-agents login logout mcp
    memory migrate-installer mobile model output-style passes pause-memory permissions plugin
    powerup privacy-settings project quit radio rate-limit-options recap release-notes
    reload-plugins reload-skills remote-control remote-env rename restart resume rewind sandbox
    scroll-speed session setup-bedrock setup-vertex skills stats status statusline stickers stop
    tag tasks teleport terminal-setup theme todos tui upgrade usage usage-credits use-case version
    vim voice web-setup workflows""".split()  # noqa: SIM905  # a plain list
)


def blocks_of(content: Any) -> list[dict[str, Any]]:
    """A message's content as blocks, whichever of its two forms it has."""
    if not isinstance(content, list):
        return [{"type": "text", "text": content}] if isinstance(content, str) else []
    return [block for block in content if isinstance(block, dict)]


def prompt_text(content: Any) -> str:
    """What the user typed, or ''. A slash command that reaches the agent is `/name arguments`."""
    parts: list[str] = []
    for block in blocks_of(content):
        if block.get("type") == "text":
            parts.append(_without_asides(as_text(block.get("text"))))
        elif block.get("type") == "image":
            parts.append(IMAGE)
    text = "\n".join(part for part in parts if part).strip()
    if text.startswith(("<command-name>", "<command-message>")):
        return _slash_command(text)
    return "" if text == IMAGE or not is_prompt(text) else text


def _without_asides(text: str) -> str:
    if "<" in text:
        for aside in _ASIDES:
            text = aside.sub("", text)
    return text.strip()


def _slash_command(text: str) -> str:
    found = _COMMAND.search(text)
    name = found[1].strip().removeprefix("/") if found else ""
    said = text.partition("<command-args>")[2].partition("</command-args>")[0].strip()
    # The program's own commands begin with their name, those for the agent with a message.
    for_the_agent = said or text.startswith("<command-message>")
    if not name or name in _LOCAL or not for_the_agent:
        return ""
    return f"/{name} {said}".strip()
