"""Observations from git history: which commits say something, under which title and type.

observer.py  one commit -> an observation, or why not
subjects.py  a commit's first line without its prefixes
worth.py     commits that teach nothing
kinds.py     which type a commit is
"""
