"""``python -m linkwright.cli``."""

from linkwright.cli import main

if __name__ == "__main__":
    main()
