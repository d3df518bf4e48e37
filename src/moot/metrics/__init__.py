"""What is counted, for Prometheus to read."""
