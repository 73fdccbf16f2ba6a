"""Tool uses become observations and session summaries."""
