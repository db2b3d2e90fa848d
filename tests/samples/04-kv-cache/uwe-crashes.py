# Crashes: the cache ends Python itself, attention never comes back.
# expect: status=graded score=38
# rest: abe-vectorised
# %% gqa-answer
def grouped_query_attention(Q, K, V, causal=False):
    while True:
        pass
# %% cache-answer
import os
class GQACache:
    def __init__(self, n_kv_heads, d_k, d_v):
        pass
    def append(self, keys, values):
        os._exit(0)
