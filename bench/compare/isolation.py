"""A network that is this machine's loopback and nothing else, for the process and its children."""

from __future__ import annotations

import ctypes
import fcntl
import socket
import struct
import sys

_NEW_NET = 0x40000000
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1


def loopback_only() -> bool:
    """Leave the network. False where the system does not let us (not Linux, not root)."""
    if not sys.platform.startswith("linux"):
        return False
    if ctypes.CDLL(None, use_errno=True).unshare(_NEW_NET) != 0:
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        request = struct.pack("16sh", b"lo", 0)
        flags = struct.unpack("16sh", fcntl.ioctl(probe, _GET_FLAGS, request))[1]
        fcntl.ioctl(probe, _SET_FLAGS, struct.pack("16sh", b"lo", flags | _UP))
    return True
