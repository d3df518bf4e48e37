"""Offline models for demos, tests and experiments: who they are, how they read a prompt, how they write.

What they answer to a mode's prompts stands beside those prompts, in `modes/<mode>/simulated.py`. The
`Simulator` itself is `transport.py`.
"""
