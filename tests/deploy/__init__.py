"""What `deploy/` ships, played with the programs of the distribution (`make test-deploy`): PgBouncer, nginx, buildah, systemd."""
