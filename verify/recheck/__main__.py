"""`python -m verify.recheck DIR`."""

import sys
from pathlib import Path

from verify.recheck.program import main

if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
