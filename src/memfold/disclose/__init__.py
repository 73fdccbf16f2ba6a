"""What the agent is shown: index, search steps, details, evidence.

mode.py       types, symbols and concepts, shipped ones from modes/*.json, and what they inherit
mode_file.py  one mode as its JSON file says it, checked key by key
mode_shelf.py all modes that can be had, a person's own included
times.py      times as shown
freshness.py  whether the files behind an entry have changed since
details.py    an entry in full, and so its price
index.py      the startup index: render, measure, drop
gather.py     what the index shows, from the library
prepared.py   the index kept ready for the next session
context.py    work state and index in one frame, as pushed at session start
places.py     where a path that an observation names lies in a directory of today
claude_md.py  the same index for one directory, as Markdown tables by file
search/       mem_search: three steps that the server enforces
evidence.py   get_tool_uses: the raw calls behind an entry
legacy.py     search, timeline, get_observations: the older way
refs.py       ids that an agent types
workflow.py   important_workflow: how to look something up
"""
