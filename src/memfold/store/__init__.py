"""Where everything is kept; rooms know only ports."""
