"""The hook for a malware scanner, over ICAP or as a command (MALWARE_SCANNER; docs/operations.md).

`scanner` is what the product calls, and `verdict` what it answers; `icap` speaks RFC 3507, `command` starts a program.
"""
