"""``python -m linkwright.cli``."""

from linkwright.cli import main

main()
