"""The exceptions, each of which derives from Error and from the closest built-in exception, and the warning."""

from __future__ import annotations

__all__ = [
    "BadInput", "Busy", "Corrupt", "DuplicateIds", "Error", "Interrupted", "InvalidArgument", "IoError", "NotFound",
    "OverBudget", "Unsupported",
]


class Error(Exception):
    """The base class of all exceptions here. `option` names the argument that the message is about, or is empty."""

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
    """Well-formed input that this build does not support."""


class OverBudget(Error, MemoryError):
    """Not enough memory or disk; the message says how much is needed."""


class IoError(Error, OSError):
    """The system failed to read or write."""


class Busy(Error, BlockingIOError):
    """Another process is using the resource; try again later."""


class Interrupted(Error):
    """The call was interrupted."""


class DuplicateIds(UserWarning):
    """Several documents have the same id, so it does not say which of them a decision is about."""


def about(option: str, sentence: str, kind: type[Error] = InvalidArgument) -> Error:
    """Returns an error about an option."""
    error = kind(f"{option}: {sentence}")
    error.option = option
    return error
