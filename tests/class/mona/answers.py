# %%
def split_heads(X, num_heads):
    *lead, n, d_model = X.shape
    return X.reshape(*lead, num_heads, n, d_model // num_heads)

# %%
def concat_heads(heads):
    *lead, num_heads, n, d_head = heads.shape
    return heads.reshape(*lead, n, num_heads * d_head)
