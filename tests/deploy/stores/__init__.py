"""Stores that are not the bundled ones: PgBouncer, a standby, Sentinels, a Redis Cluster, and S3."""
