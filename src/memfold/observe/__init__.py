"""Tool uses become observations and session summaries.

builtin/     the observer that needs no model: a turn -> observations
summary.py   a session in five fields
paths.py     file names as the session saw them
"""
