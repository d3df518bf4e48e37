"""Serves one GGUF file over OpenAI's chat completions: python llama.py FILE PORT TOKENS THREADS

Runs in an environment of its own, where `xllamacpp` is installed; see weights.py.
"""

import sys
import time

import xllamacpp  # type: ignore[import-not-found]

file, port, most_tokens, threads = sys.argv[1], *map(int, sys.argv[2:5])
params = xllamacpp.CommonParams()
params.model.path = file
params.hostnames, params.port = ["127.0.0.1"], port
params.n_ctx, params.n_parallel, params.n_predict = 32768, 4, most_tokens
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
params.cpuparams.poll = params.cpuparams_batch.poll = 0
params.cont_batching, params.use_jinja, params.warmup, params.cache_ram_mib = True, True, False, 0
server = xllamacpp.Server(params)
while True:
    time.sleep(3600)
