# %%
def scale_scores(scores, d_k):
    scores /= np.sqrt(d_k)
    return scores

# %%
def apply_mask(scores, mask):
    scores[~np.broadcast_to(mask, scores.shape)] = -np.inf
    return scores
