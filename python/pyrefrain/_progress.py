"""Shows how far a long call is: in notebooks, in terminals, and in logs."""

import sys
import time

_PAUSE = 30  # seconds between two lines of a log, unless another stage begins


def reporter(progress):
    """Turns the user's `progress` argument into a callback for the engine, which closes it at the end of the call.

    Returns None if no progress is wanted.
    """
    return None if progress is None or progress is False else _Reporter(progress)


class _Reporter:
    def __init__(self, progress):
        self._show = None if progress is True else progress

    def __call__(self, stage, _unit, done, total, share):
        if self._show is None:
            self._show = _display()
        if share < 0:
            share = done / total if total else None
        self._show(stage, share)

    def close(self, finished):
        """Shows the end of the call. `finished` is false if it failed."""
        if isinstance(self._show, _Display):
            self._show.close(finished)


class _Display:
    def close(self, finished):
        pass


class _Bar(_Display):
    """A bar of tqdm."""

    def __init__(self, tqdm):
        self._bar = tqdm(total=100, bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}")

    def __call__(self, stage, share):
        self._bar.set_description_str(stage, refresh=False)
        if share is not None:
            self._bar.n = round(100 * share)
        self._bar.refresh()

    def close(self, finished):
        if finished:
            self._bar.n = 100
            self._bar.refresh()
        self._bar.close()


class _CellBar(_Display):
    """A bar of IPython, which needs nothing else in a notebook."""

    def __init__(self):
        from IPython.display import HTML, display

        self._html = HTML
        self._handle = display(HTML(""), display_id=True)

    def __call__(self, stage, share):
        import html

        value = "" if share is None else f' value="{share:.3f}"'
        self._handle.update(self._html(f"<progress{value}></progress> {html.escape(stage)}"))

    def close(self, finished):
        self("done" if finished else "stopped", 1.0 if finished else None)


class _Line(_Display):
    """One line of a terminal, which is rewritten."""

    def __call__(self, stage, share):
        print(f"\r{_text(stage, share)}\033[K", end="", file=sys.stderr, flush=True)

    def close(self, finished):
        print(file=sys.stderr)


class _Log(_Display):
    """A line per stage, and one now and then."""

    def __init__(self):
        self._stage, self._at = None, 0

    def __call__(self, stage, share):
        if stage != self._stage or time.monotonic() - self._at >= _PAUSE:
            print(_text(stage, share), file=sys.stderr, flush=True)
            self._stage, self._at = stage, time.monotonic()


def _text(stage, share):
    return stage if share is None else f"{stage} {100 * share:3.0f}%"


def _display():
    """Chooses a display: that of tqdm, if it is there, in notebooks and terminals."""
    notebook = _in_notebook()
    if notebook and not _exists("ipywidgets"):  # tqdm would warn, and draw a bar of characters
        return _CellBar()
    if notebook or sys.stderr.isatty():
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return _CellBar() if notebook else _Line()
        return _Bar(tqdm)
    return _Log()


def _in_notebook():
    python = sys.modules.get("IPython")
    shell = python.get_ipython() if python is not None else None
    return getattr(shell, "kernel", None) is not None


def _exists(name):
    import importlib.util

    return importlib.util.find_spec(name) is not None
