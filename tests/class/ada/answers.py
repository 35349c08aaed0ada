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

# %%
def padding_mask(lengths, n_keys):
    return np.arange(n_keys)[None, None, :] < np.array(lengths)[:, None, None]

# %%
def apply_mask(scores, mask):
    return np.where(mask, scores, -np.inf)

# %%
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scale_scores(attention_scores(Q, K), Q.shape[-1])
    if mask is not None:
        scores = apply_mask(scores, mask)
    weights = softmax(scores)
    return weighted_sum(weights, V), weights

# %%
def self_attention(X, W_Q, W_K, W_V, mask=None):
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, mask)

# %%
def split_heads(X, num_heads):
    *lead, n, d_model = X.shape
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return X.reshape(*lead, n, num_heads, d_model // num_heads).swapaxes(-2, -3)

# %%
def concat_heads(heads):
    *lead, num_heads, n, d_head = heads.shape
    return heads.swapaxes(-2, -3).reshape(*lead, n, num_heads * d_head)

# %%
def multi_head_attention(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)
    Q, K, V = split_heads(Q, num_heads), split_heads(K, num_heads), split_heads(V, num_heads)
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    return concat_heads(heads) @ W_O
