# %%
def size(x):
    return x if isinstance(x, (int, np.integer)) else len(x)

def causal_mask(n_queries, n_keys=None):
    n, m = size(n_queries), size(n_queries if n_keys is None else n_keys)
    return np.tri(n, m, m - n) > 0

# %%
def size(heads):
    return heads.shape[-3] * heads.shape[-1]

def concat_heads(heads):
    return np.swapaxes(heads, -3, -2).reshape(*heads.shape[:-3], heads.shape[-2], size(heads))
