"""A claude-mem database read as sessions to take over; nothing is ever written to it.

snapshot.py  one consistent look at a file that a live worker may be writing
values.py    its values, whatever a row holds, as ours
reader.py    its rows as sessions with their ids
"""
