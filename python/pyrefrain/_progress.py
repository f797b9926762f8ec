"""A bar for long calls."""

import sys


def reporter(progress):
    """What the engine calls with (stage, unit, done, total, share), for `progress` as users give it; None for none."""
    if progress is None or progress is False:
        return None
    tell = _bar() if progress is True else progress

    def report(stage, _unit, done, total, share):
        if share < 0:
            share = done / total if total else None
        tell(stage, share)

    return report


def _bar():
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _line
    bar = tqdm(total=100, bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}")

    def tell(stage, share):
        bar.set_description_str(stage)
        if share is not None:
            bar.n = round(100 * share)
        bar.refresh()

    return tell


def _line(stage, share):
    percent = "" if share is None else f" {100 * share:3.0f}%"
    print(f"\r{stage}{percent}\033[K", end="", file=sys.stderr, flush=True)
