"""A gate of the other kind: it holds a read back and sends the agent to fetch the outline.

Run as a hook, with the standard library alone. Arguments: the file, and what to say.
"""

import json
import sys

file, said = sys.argv[1:3]
asked = json.load(sys.stdin)["tool_input"]
if asked["file_path"] == file and not asked.get("offset") and not asked.get("limit"):
    json.dump(
        {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": said,
            }
        },
        sys.stdout,
    )
