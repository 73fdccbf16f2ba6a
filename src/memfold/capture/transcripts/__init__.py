"""The hosts' own session files.

find.py          where they are, and which reader understands them
lines.py         lines as JSON objects, bad ones counted
claude_code.py   sessions of Claude Code
typed.py         which of its user lines were typed by the user
codex.py         sessions of Codex
"""
