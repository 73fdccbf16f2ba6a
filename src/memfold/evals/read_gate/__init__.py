"""Does the gate pay? The real host is driven with it and without, and every request is priced."""
