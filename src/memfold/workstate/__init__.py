"""The agent's own lists: what is left, and where it left off.

fold.py     a list as it stands, from its rows
rules.py    which writes are accepted, and what a refusal says
lists.py    the lists of a directory, merged and ready to show
section.py  what is open, as shown at session start and by the tools
tools.py    work_state_write and work_state_read
plan.py     what a session planned with its host's own to-do tool
mirror.py   such plans, kept as lists
verify.py   whether the current values are what the log says
"""
