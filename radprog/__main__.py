"""``python -m radprog``."""

import sys

from radprog.cli import main

sys.exit(main())
