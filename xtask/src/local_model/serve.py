"""Serve a GGUF file in OpenAI's format on loopback, print the address, and end when stdin does."""

import os
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = 8192
params.n_parallel = 1
params.use_jinja = True
# As many as this process may use: engines that wait for each other on a busy machine hardly move.
params.cpuparams.n_threads = len(os.sched_getaffinity(0))
params.cpuparams_batch.n_threads = params.cpuparams.n_threads
params.sampling.temp = 0.0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
