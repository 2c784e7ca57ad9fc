"""The run explorer (SPEC 3.16, 8.7): which runs there were, what happened in one, and what the model saw.

Pages of the organization's admin site, registered by chat.admin. They read what runs and calls stored, and change nothing but the
organization's policy on who may read members' texts.
"""
