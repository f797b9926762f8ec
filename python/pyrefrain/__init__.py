"""Finds and removes duplicate text."""

from . import errors
from ._core import __version__

__all__ = ["__version__", "errors"]
