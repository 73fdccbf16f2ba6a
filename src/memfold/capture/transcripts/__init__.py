"""The hosts' own session files.

find.py          where they are, and which reader understands them
lines.py         lines as JSON objects, bad ones counted
claude_code.py   sessions of Claude Code
codex.py         sessions of Codex
"""
