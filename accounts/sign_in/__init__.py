"""The front door: signing in and up, with limits on guessing, second factors and a trace of each outcome."""
