"""What the agent is shown: index, search steps, details, evidence."""
