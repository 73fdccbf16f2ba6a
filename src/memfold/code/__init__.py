"""What is in a source file: its symbols, and the source of one of them.

symbols.py     the nouns: Symbol, Outline
languages.py   which language a file is in, and its grammar
text.py        bytes of any encoding to text with an editor's line numbers
plain.py       a text without what its grammar cannot read and no symbol is in
parsing.py     a parse and a query that end in time
gathered.py    what a query finds, before it is nested
outline.py     a file's outline
apart.py       the same in a process that may be ended; apart_child.py is its other end
limits.py      what is not begun, or ended before its end; yaml_limits.py what YAML's grammar needs
recovery.py    the symbols behind an error
stretches.py   a text cut before each line that may begin a definition
macros.py      C and C++ without the macros that a grammar cannot know
components.py  Vue and Svelte files: the languages inside them
exports.py     what of a file others may use, by the language's rules
workspace.py   which files may be read
render.py      an outline as an agent reads it
unfold.py      the source of one symbol
tools.py       the tools smart_outline and smart_unfold
queries/       one query a language
index/         the symbols of a whole tree, kept up to date, and search in it
gate/          whether a whole file is read, or its outline first
reading.py     what gate and index need of outlines
"""
