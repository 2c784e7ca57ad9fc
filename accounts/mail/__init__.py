"""Mail: one text for each occasion, an outbox that sends nothing twice, and a box for machines without a mail server."""
