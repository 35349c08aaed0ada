# %%
def attention_scores(Q, K):
    return Q @ K.T

# %%
def multi_head_attention(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    Q, K, V = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    weights = softmax(scale_scores(Q @ np.swapaxes(K, -1, -2), Q.shape[-1]))
    return concat_heads(weighted_sum(weights, V))
