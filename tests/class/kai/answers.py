# %%
def causal_mask(n_queries, n_keys=None):
    if n_keys is None:
        n_keys = n_queries
    return np.tril(np.ones((n_queries, n_keys))) == 1

# %%
def padding_mask(lengths, n_keys):
    return np.array([[[j >= length for j in range(n_keys)]] for length in lengths])
