"""The built-in observer: no model, the same result every time.

observer.py    a turn -> observations
episodes.py    a turn's steps in episodes: each ends with a commit, the last with the turn
speech.py      what the agent said, as statements without markdown, chat and promises
worth.py       how much a statement tells
titles.py      a statement as a title
actions.py     what the tool calls did: commits, tests, files, searches
types.py       which type and concepts an observation has
"""
