"""Webhooks: tell another program that a run has ended. See docs/webhooks.md."""
