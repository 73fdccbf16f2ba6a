"""Writing memfold into a host's settings and taking it out again, one file per host."""
