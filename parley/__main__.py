"""`python -m parley`: the same as the command `parley`."""

from parley.command import main

if __name__ == "__main__":
    main()
