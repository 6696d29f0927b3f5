"""``python -m linkwright``: the command line."""

from linkwright_program import main

if __name__ == "__main__":
    main()
