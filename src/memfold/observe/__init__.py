"""Tool uses become observations and session summaries.

builtin/     the observer that needs no model: a turn -> observations
model/       observers that ask a model about what rules could not settle
again.py     the observer in use over old evidence
summary.py   a session in five fields
paths.py     file names as the session saw them
"""
