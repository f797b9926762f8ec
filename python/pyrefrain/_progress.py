"""A progress bar for long calls."""

import sys


def reporter(progress):
    """Turns the user's `progress` argument into a callback for the engine, report(stage, unit, done, total, share).

    Returns None if no progress is wanted.
    """
    if progress is None or progress is False:
        return None
    show = _bar() if progress is True else progress

    def report(stage, _unit, done, total, share):
        if share < 0:
            share = done / total if total else None
        show(stage, share)

    return report


def _bar():
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _line
    bar = tqdm(total=100, bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}")

    def show(stage, share):
        bar.set_description_str(stage)
        if share is not None:
            bar.n = round(100 * share)
        bar.refresh()

    return show


def _line(stage, share):
    percent = "" if share is None else f" {100 * share:3.0f}%"
    print(f"\r{stage}{percent}\033[K", end="", file=sys.stderr, flush=True)
