"""Where the bytes of files are: a directory, or a bucket of an S3-compatible store (docs/decisions/0081).

- `s3`: Django's storage on a bucket, which settings name; boto3 is imported by its first use.
- `marker`: whether this process has the store that all others have. config's start checks, probes, doctor and backups ask it.

Everybody else reads and writes through `files.storage`.
"""
