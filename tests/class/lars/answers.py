# %%
def padding_mask(lengths, n_keys):
    mask = np.zeros((len(lengths), 1, n_keys), dtype=bool)
    b = 0
    while b < len(lengths):
        mask[b, 0, : lengths[b]] = True
    return mask
