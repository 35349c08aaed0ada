# %%
# The way the articles do it: matrices, so two axes.
def attention_scores(Q, K):
    return Q @ K.T

# %%
def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)

# %%
def softmax(scores, axis=-1):
    shifted = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return shifted / np.sum(shifted, axis=axis, keepdims=True)

# %%
def weighted_sum(weights, V):
    return weights @ V

# %%
def project_qkv(X, W_Q, W_K, W_V):
    Q = X @ W_Q
    K = X @ W_K
    V = X @ W_V
    return Q, K, V

# %%
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weights @ V, weights

# %%
def apply_mask(scores, mask):
    return np.where(mask, scores, -np.inf)

# %%
def causal_mask(n_queries, n_keys=None):
    return np.tril(np.ones((n_queries, n_queries), dtype=bool))

# %%
def self_attention(X, W_Q, W_K, W_V, mask=None):
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, mask)
