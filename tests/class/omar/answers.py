# %%
def softmax(scores, axis=-1):
    exp = np.exp(scores)
    return exp / exp.sum(axis=axis, keepdims=True)
