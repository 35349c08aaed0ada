# %%
def apply_mask(scores, mask):
    return scores * mask

# %%
def scaled_dot_product_attention(Q, K, V, mask=None):
    weights = softmax(scale_scores(attention_scores(Q, K), Q.shape[-1]))
    if mask is not None:
        weights = weights * mask
    return weighted_sum(weights, V), weights
