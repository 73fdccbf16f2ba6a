"""Observations by a model, where the built-in observer could not settle what a turn taught.

port.py          one question to a model, its answer, and how it may fail
http.py          one bounded POST to a model's server
anthropic.py     the Anthropic Messages API
openai.py        chat completions as OpenAI and many others serve them
claude_cli.py    the user's own Claude Code, locked down
prices.py        what a call may cost
need.py          which turns need a model
prompt.py        turns as a question: framed, escaped, bounded
reply.py         an answer checked against its schema and its evidence
worker.py        the queue: leases, budget, back-off
setup.py         the observer that the settings name
"""
