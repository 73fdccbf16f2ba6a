"""What hosts report, in one shape: adapters, transcripts, privacy, project identity, spool.

claude_code.py   a hook payload of Claude Code -> events
tools.py         which files a tool call read and changed; which tools are our own
transcripts/     the hosts' own session files -> the same events
private.py       what stands between <private> tags is removed
redact.py        secrets become placeholders, before anything is written
rules.py         what secrets look like, one line a kind
scrub.py         all that, and pictures, over whole events
exclusions.py    what the user never wants captured
checkout.py      what a directory says about itself: git directory, remote, first commit
identity.py      which project a directory belongs to
intake.py        the way in: payload or transcript -> scrubbed events -> the evidence log
spool.py         reading what waited while the daemon was away
"""
