"""What hosts report, in one shape: adapters, transcripts, privacy, project identity, spool."""
