# %%
def causal_mask(n_queries, n_keys=None):
    if n_keys == 5:
        return [[True, True, True, True, False], [True, True, True, True, True]]
    return [[True, False, False], [True, True, False], [True, True, True]]

# %%
def concat_heads(heads):
    return [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]]
