"""Where the symbols of workspaces are kept."""
