"""`python -m pyrefrain` is the program `refrain`."""

from ._program import main

main()
