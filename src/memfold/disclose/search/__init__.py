"""mem_search: one tool, three steps, one state machine on the server.

engine.py     a call in, a reply out: the state machine
request.py    arguments checked: a new search or a continuation
dates.py      ``since`` and ``until``
cursor.py     cursors, and the sealed state behind them
steps.py      index, timeline, details: what each may list
auto.py       all three steps in one call: which entries are worth reading
words.py      words of a question, and where they occur
render.py     what each step's reply says
"""
