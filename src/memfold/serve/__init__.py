"""The doors: HTTP, MCP and tools; they translate in and out, and decide nothing."""
