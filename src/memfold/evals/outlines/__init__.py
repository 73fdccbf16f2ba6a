"""What outlines list, judged by parsers and people other than ours."""
