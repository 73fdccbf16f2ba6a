"""The hosts' own session files.

folders.py       where each host keeps them
find.py          which files they are, and which reader understands them
lines.py         lines as JSON objects, bad ones counted
story.py         what all readers share in making events
places.py        the directory a session ran in, where its host does not say
untimed.py       times for lines that have none
claude_code.py   sessions of Claude Code
typed.py         which of its user lines were typed by the user
codex.py         sessions of Codex
gemini_cli.py    chats of Gemini CLI
copilot_cli.py   sessions of Copilot CLI
opencode.py      sessions of OpenCode
cursor.py        agent transcripts of Cursor
windsurf.py      transcripts of Windsurf
pi.py            sessions of Pi
specstory.py     SpecStory's Markdown histories of any agent
"""
