"""Stand-ins for the providers' servers: tests script them, the demo provider is one, benchmarks drive them (ARCHITECTURE 7)."""
