"""The OpenAI-compatible door: every mode and every preset as a model, for whatever speaks that API.

    GET  /v1/models                  moot/vote, moot/debate, … and moot/<preset>
    POST /v1/chat/completions        a deliberation as reasoning, its answer as content
    POST /v1/responses               the same, also in the background; GET …/{id} reads it, …/cancel stops it

It asks the engine what the page asks it. What it cannot do it refuses by name, before anybody is asked.
"""
