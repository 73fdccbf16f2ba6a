"""The store on SQLite (apsw)."""
