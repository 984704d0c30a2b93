"""`python -P -m verify.recheck DIR`: -P, so that no `verify.py` of the current folder is imported."""

import sys
from pathlib import Path

from verify.recheck.program import main

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m verify.recheck DIR")
    sys.exit(main(Path(sys.argv[1])))
