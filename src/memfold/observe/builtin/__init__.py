"""The built-in observer: no model, the same result every time.

observer.py    a turn -> observations
episodes.py    a turn's steps in episodes: each ends with a commit, the last with the turn
speech.py      what the agent said, as statements without markdown, chat and promises
worth.py       how much a statement tells
titles.py      a statement as a title
cues_cjk.py    the marks of Chinese and Japanese sentences
calls.py       which kind of call a tool use is, on every host, and the edits it holds
judged.py      which tool uses teach nothing, and why
symbols.py     functions and classes that edits added, changed or removed
facts.py       the facts of an observation
actions.py     what the tool calls did: commits, tests, files, searches
types.py       which type and concepts an observation has
"""
