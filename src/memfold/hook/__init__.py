"""The doorbell: host payload in, daemon's answer out; standard library only, fails open."""
