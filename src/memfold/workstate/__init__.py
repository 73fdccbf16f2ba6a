"""The agent's own lists: rules, fold, and the section shown at session start."""
