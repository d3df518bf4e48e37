"""The providers that people add on the page or with `moot keys`, with their keys."""
