"""Starts the refrain program that is bundled with the package."""

import os
import sys


def main():
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_lib", "refrain")
    os.execv(program, [program, *sys.argv[1:]])
