"""OpenTelemetry: what goes on as spans and metrics, in the GenAI semantic conventions, over OTLP."""
