"""The user's own Claude Code, asked through its command line with everything else taken away.

No tools, no settings, no hooks, no MCP servers, no session file; a directory of its own and an
environment made from nothing. MEMFOLD_OBSERVING makes memfold's own hook silent where an
organisation's managed settings ring it all the same.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memfold.observe.model.anthropic import count
from memfold.observe.model.http import MAX_REPLY_BYTES
from memfold.observe.model.port import (
    Answer,
    AuthFailed,
    BadReply,
    ModelTrouble,
    Question,
    QuotaSpent,
    RateLimited,
    Refused,
    Rejected,
    ServerFailed,
    TimedOut,
)

MARK = "MEMFOLD_OBSERVING"
_KEPT = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "SHELL", "XDG_CONFIG_HOME",
    "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY",
    "https_proxy", "http_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE",
)  # fmt: skip


class ClaudeModel:
    """Implements port.Model. ``folder``: where it runs; made, and empty."""

    def __init__(
        self,
        model: str,
        folder: Path,
        *,
        program: str = "claude",
        key: str = "",
        base_url: str = "",
        env: Mapping[str, str] | None = None,
    ) -> None:
        """``key``: an API key instead of the user's login, where one was set for memfold."""
        self.name = f"claude/{model or 'default'}"
        self._model = model
        self._folder = folder
        self._program = program
        given = os.environ if env is None else env
        self._env = {
            **{name: given[name] for name in _KEPT if name in given},
            **({"ANTHROPIC_API_KEY": key} if key else {}),
            **({"ANTHROPIC_BASE_URL": base_url} if base_url else {}),
            MARK: "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "1",
            "DISABLE_AUTOUPDATER": "1",
            "MAX_THINKING_TOKENS": "0",
        }
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._ended = False

    def command(self, question: Question) -> list[str]:
        """What is run; the question itself goes to its stdin."""
        return [
            self._program, "-p", "--output-format", "json",
            "--tools", "", "--strict-mcp-config", "--setting-sources", "",
            "--settings", '{"disableAllHooks":true}', "--disable-slash-commands",
            "--no-session-persistence", "--no-chrome", "--permission-mode", "dontAsk",
            "--system-prompt", question.system, "--json-schema", json.dumps(question.schema),
            *(("--model", self._model) if self._model else ()),
        ]  # fmt: skip

    def ask(self, question: Question) -> Answer:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        env = {**self._env, "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(question.max_output_tokens)}
        try:
            with self._lock:
                if self._ended:
                    raise ServerFailed("memfold is ending.")
                child = self._child = subprocess.Popen(
                    self.command(question),
                    cwd=self._folder,
                    env=env,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # so that it and its children end together
                )
        except OSError as error:
            raise Rejected(
                f"The program {self._program!r} cannot be started ({error.strerror or error})."
            ) from error
        try:
            said, _ = child.communicate(_spoken(question).encode(), timeout=question.timeout_s)
        except subprocess.TimeoutExpired as error:
            raise TimedOut(f"claude did not answer within {question.timeout_s:.0f} s.") from error
        finally:
            _end(child)
            with self._lock:
                self._child = None
        return _answer(said, child.returncode)

    def cancel(self) -> None:
        with self._lock:
            self._ended = True
            if self._child is not None:
                _kill_group(self._child.pid)


def _spoken(question: Question) -> str:
    """The conversation as one text: the command line takes one prompt."""
    first, *rest = question.messages
    return "\n\n".join([first.text, *(f"<{one.role}>\n{one.text}\n</{one.role}>" for one in rest)])


def _end(child: subprocess.Popen[bytes]) -> None:
    _kill_group(child.pid)  # what it started does not outlive it
    child.communicate()


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # all of it has ended already


def _answer(said: bytes, code: int) -> Answer:
    if len(said) > MAX_REPLY_BYTES:
        raise BadReply(f"claude answered with more than {MAX_REPLY_BYTES:,} bytes.")
    try:
        reply = json.loads(said)
    except (ValueError, RecursionError) as error:
        if code:
            raise ServerFailed(f"claude ended with code {code} and no answer.") from error
        raise BadReply("claude did not answer in JSON.") from error
    if not isinstance(reply, dict):
        raise BadReply("claude did not answer with a JSON object.")
    if reply.get("is_error"):
        raise _trouble(reply)
    if reply.get("stop_reason") == "refusal":
        raise Refused("The model refused to answer.")
    usage = reply.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    cost = reply.get("total_cost_usd")
    data = reply.get("structured_output")
    text = json.dumps(data, ensure_ascii=False) if data is not None else reply.get("result")
    return Answer(
        text=text if isinstance(text, str) else "",
        tokens_in=sum(
            count(usage.get(name))
            for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        ),
        tokens_out=count(usage.get("output_tokens")),
        cost_micro_usd=round(cost * 1_000_000) if isinstance(cost, (int, float)) else None,
        cut=reply.get("stop_reason") == "max_tokens",
    )


def _trouble(reply: dict[str, Any]) -> ModelTrouble:
    text = str(reply.get("result", "")).lower()
    status = reply.get("api_error_status")
    if status in {401, 403} or "/login" in text or "api key" in text:
        return AuthFailed("claude is not logged in; run `claude` and log in.")
    if "limit reached" in text or "usage limit" in text or "credit" in text or status == 402:
        return QuotaSpent("claude says that the plan's allowance is used up.")
    if status == 429 or "rate limit" in text:
        return RateLimited("claude says: too many calls for now.")
    if status in {400, 404}:
        return Rejected("claude does not accept the call; check the model's name.")
    return ServerFailed(f"claude could not answer (status {status or 'unknown'}).")
