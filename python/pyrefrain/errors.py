"""What goes wrong. Every exception is an Error, and of the kind that Python has for it."""

__all__ = [
    "BadInput", "Busy", "Corrupt", "Error", "Interrupted", "InvalidArgument", "IoError", "NotFound", "OverBudget",
    "Unsupported",
]


class Error(Exception):
    """The one class behind all others. `option` is the argument that the message is about, or empty."""

    option = ""


class InvalidArgument(Error, ValueError):
    """An invalid request, or one that would overwrite something."""


class NotFound(Error, FileNotFoundError):
    """An input does not exist, or cannot be opened."""


class BadInput(Error, ValueError):
    """An input is malformed, and bad records were not allowed."""


class Corrupt(Error, OSError):
    """A file written by Refrain is damaged."""


class Unsupported(Error, NotImplementedError):
    """Well-formed, but not supported by this build."""


class OverBudget(Error, MemoryError):
    """Not enough memory or disk; the message says how much is needed."""


class IoError(Error, OSError):
    """The system failed to read or write."""


class Busy(Error, BlockingIOError):
    """Another process holds a resource for now."""


class Interrupted(Error):
    """The call was stopped."""
