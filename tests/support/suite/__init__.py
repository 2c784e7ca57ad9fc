"""How a run of the tests goes: who shares a worker, what is imported once, how long things may take, and that nobody calls the internet."""
