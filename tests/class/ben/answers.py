# %%
def project_qkv(X, W_Q, W_K, W_V):
    return X @ W_Q, X @ W_K, X @ W_V

# %%
def attention_scores(Q, K):
    return Q @ K.swapaxes(-1, -2)

# %%
def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)

# %%
def softmax(scores, axis=-1):
    top = scores.max(axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    e = np.exp(scores - top)
    return e / e.sum(axis=axis, keepdims=True)

# %%
def weighted_sum(weights, V):
    return weights @ V

# %%
def causal_mask(n_queries, n_keys=None):
    if n_keys is None:
        n_keys = n_queries
    position = np.arange(n_queries)[:, None] + n_keys - n_queries
    return np.arange(n_keys) <= position
