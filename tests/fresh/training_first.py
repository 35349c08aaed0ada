"""A set of answers to `training`, written from the students' notebook alone.

The docstring says what is wrong, or what is unusual and still right. ``autograder prove training --answers
tests/fresh/training_first.py`` grades them.
"""


@wrong_answer(step="cross_entropy")
def ce_log2(logits, targets, ignore=-1):
    """bits instead of nats"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    z = logits - logits.max(-1, keepdims=True)
    lse = np.log(np.exp(z).sum(-1))
    safe = np.where(targets == ignore, 0, targets)
    price = (lse - np.take_along_axis(z, safe[..., None], -1)[..., 0]) / np.log(2)
    keep = targets != ignore
    return price[keep].mean() if keep.any() else 0.0


@right_answer(step="cross_entropy")
def ce_ignore_minus_one_only(logits, targets, ignore=-1):
    """Negative targets are left out as well, which never occur."""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = (targets >= 0) & (targets != ignore)
    if not keep.any():
        return 0.0
    z = logits[keep]
    z = z - z.max(-1, keepdims=True)
    return float(np.mean(np.log(np.exp(z).sum(-1)) - z[np.arange(len(z)), targets[keep]]))


@wrong_answer(step="cross_entropy")
def ce_mean_over_all(logits, targets, ignore=-1):
    """divides by all rows"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    if not keep.any():
        return 0.0
    z = logits[keep]
    z = z - z.max(-1, keepdims=True)
    return float(
        np.sum(np.log(np.exp(z).sum(-1)) - z[np.arange(len(z)), targets[keep]]) / targets.size
    )


@wrong_answer(step="cross_entropy")
def ce_mean_of_means(logits, targets, ignore=-1):
    """a mean per text, then the mean of these: short texts count more"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    z = logits - logits.max(-1, keepdims=True)
    keep = targets != ignore
    safe = np.where(keep, targets, 0)
    price = np.where(
        keep, np.log(np.exp(z).sum(-1)) - np.take_along_axis(z, safe[..., None], -1)[..., 0], 0.0
    )
    n = keep.sum(-1)
    per = price.sum(-1) / np.maximum(n, 1)
    return float(np.sum(per) / max(1, np.sum(n > 0)))


@wrong_answer(step="cross_entropy")
def ce_global_max(logits, targets, ignore=-1):
    """one maximum for everything, log of zero patched with 1e-12"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    if not keep.any():
        return 0.0
    e = np.exp(logits - logits.max())
    p = (e / e.sum(-1, keepdims=True))[keep]
    return float(-np.mean(np.log(p[np.arange(len(p)), targets[keep]] + 1e-12)))


@wrong_answer(step="cross_entropy")
def ce_clip_probability(logits, targets, ignore=-1):
    """clips p at 1e-9"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    if not keep.any():
        return 0.0
    z = logits[keep]
    e = np.exp(z - z.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    return float(-np.mean(np.log(np.maximum(p[np.arange(len(p)), targets[keep]], 1e-9))))


@wrong_answer(step="cross_entropy")
def ce_forgot_max_back(logits, targets, ignore=-1):
    """subtracts the max in the log-sum but not at the target"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    if not keep.any():
        return 0.0
    z = logits[keep]
    lse = np.log(np.exp(z - z.max(-1, keepdims=True)).sum(-1))
    return float(np.mean(lse - z[np.arange(len(z)), targets[keep]]))


@wrong_answer(step="cross_entropy")
def ce_ignored_in_max(logits, targets, ignore=-1):
    """the largest of the whole array, ignored rows included"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    if not keep.any():
        return 0.0
    z = logits - logits.max()
    lse = np.log(np.exp(z).sum(-1))
    safe = np.where(keep, targets, 0)
    price = lse - np.take_along_axis(z, safe[..., None], -1)[..., 0]
    return float(price[keep].mean())


@wrong_answer(step="cross_entropy")
def ce_mask_by_multiplying(logits, targets, ignore=-1):
    """nan * 0 in padding rows that hold anything"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = (targets != ignore).astype(float)
    e = np.exp(logits - np.where(keep[..., None] > 0, logits.max(-1, keepdims=True), 0.0))
    p = e / e.sum(-1, keepdims=True)
    safe = np.where(keep > 0, targets, 0)
    chosen = np.take_along_axis(p, safe[..., None], -1)[..., 0]
    if keep.sum() == 0:
        return 0.0
    z = logits - logits.max(-1, keepdims=True)
    price = np.log(np.exp(z).sum(-1)) - np.take_along_axis(z, safe[..., None], -1)[..., 0]
    return float((price * keep + 0.0 * chosen).sum() / keep.sum())


@wrong_answer(step="cross_entropy")
def ce_padding_costs_nan(logits, targets, ignore=-1):
    """mean of nothing"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    z = logits[keep]
    z = z - z.max(-1, keepdims=True)
    return np.mean(np.log(np.exp(z).sum(-1)) - z[np.arange(len(z)), targets[keep]])


@wrong_answer(step="cross_entropy")
def ce_only_two_axes(logits, targets, ignore=-1):
    """loops over the first axis only"""
    total, n = 0.0, 0
    for row, t in zip(np.asarray(logits, float), np.asarray(targets)):
        if t == ignore:
            continue
        m = max(row)
        total += m + math.log(sum(math.exp(v - m) for v in row)) - row[t]
        n += 1
    return total / n if n else 0.0


@wrong_answer(step="cross_entropy")
def ce_sign(logits, targets, ignore=-1):
    """the mean log probability, without the minus"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    if not keep.any():
        return 0.0
    z = logits[keep]
    z = z - z.max(-1, keepdims=True)
    return float(-np.mean(np.log(np.exp(z).sum(-1)) - z[np.arange(len(z)), targets[keep]]))


@wrong_answer(step="cross_entropy")
def ce_negative_one_as_last(logits, targets, ignore=-1):
    """ignored rows set to zero in the logits: each costs log V"""
    logits, targets = np.array(logits, float), np.asarray(targets)
    keep = targets != ignore
    if not keep.any():
        return 0.0
    logits[~keep] = 0.0
    z = logits - logits.max(-1, keepdims=True)
    safe = np.where(keep, targets, 0)
    price = np.log(np.exp(z).sum(-1)) - np.take_along_axis(z, safe[..., None], -1)[..., 0]
    return float(price.sum() / keep.sum())


@wrong_answer(step="cross_entropy")
def ce_changes_logits(logits, targets, ignore=-1):
    """-= on the argument"""
    targets = np.asarray(targets)
    logits = np.asarray(logits)
    logits -= logits.max(-1, keepdims=True)
    keep = targets != ignore
    if not keep.any():
        return 0.0
    z = logits[keep]
    return float(np.mean(np.log(np.exp(z).sum(-1)) - z[np.arange(len(z)), targets[keep]]))


@wrong_answer(step="cross_entropy")
def ce_changes_targets(logits, targets, ignore=-1):
    """sets ignored targets to 0 in place after remembering them"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    targets[~keep] = 0
    if not keep.any():
        return 0.0
    z = logits - logits.max(-1, keepdims=True)
    price = np.log(np.exp(z).sum(-1)) - np.take_along_axis(z, targets[..., None], -1)[..., 0]
    return float(price[keep].mean())


@wrong_answer(step="cross_entropy")
def ce_sum_exp_wrong_axis(logits, targets, ignore=-1):
    """log-sum over the rows instead of the vocabulary"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    if not keep.any():
        return 0.0
    z = logits[keep]
    z = z - z.max(0, keepdims=True)
    p = np.exp(z) / np.exp(z).sum(0, keepdims=True)
    return float(-np.mean(np.log(p[np.arange(len(z)), targets[keep]])))


@wrong_answer(step="cross_entropy")
def ce_shifted(logits, targets, ignore=-1):
    """thinks that targets are the tokens, so shifts them by one itself"""
    logits, targets = np.asarray(logits, float)[..., :-1, :], np.asarray(targets)[..., 1:]
    keep = targets != ignore
    if not keep.any():
        return 0.0
    z = logits[keep]
    z = z - z.max(-1, keepdims=True)
    return float(np.mean(np.log(np.exp(z).sum(-1)) - z[np.arange(len(z)), targets[keep]]))


@right_answer(step="cross_entropy")
def ce_logaddexp(logits, targets, ignore=-1):
    logits = np.asarray(logits, dtype=float).reshape(-1, np.shape(logits)[-1])
    targets = np.asarray(targets).reshape(-1)
    prices = [np.logaddexp.reduce(row) - row[t] for row, t in zip(logits, targets) if t != ignore]
    return math.fsum(prices) / len(prices) if prices else 0.0


@right_answer(step="cross_entropy")
def ce_recursive(logits, targets, ignore=-1):
    def go(z, t):
        if np.ndim(t) > 0:
            parts = [go(a, b) for a, b in zip(z, t)]
            return sum(p[0] for p in parts), sum(p[1] for p in parts)
        if t == ignore:
            return 0.0, 0
        m = max(z)
        return m - z[t] + math.log(math.fsum(math.exp(v - m) for v in z)), 1

    total, n = go(logits, targets)
    return total / max(n, 1)


@right_answer(step="cross_entropy")
def ce_differences_to_target(logits, targets, ignore=-1):
    """softplus of the differences, as a 0-d array"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    if not np.any(keep):
        return np.array(0.0)
    z, t = logits[keep], targets[keep]
    gaps = z - z[np.arange(t.size), t][:, None]
    top = gaps.max(axis=1)
    return np.array((top + np.log(np.exp(gaps - top[:, None]).sum(axis=1))).mean())


@wrong_answer(step="cross_entropy")
def ce_one_hot_einsum_left_over(logits, targets, ignore=-1):
    """The axes behind the dots are in no output, which einsum refuses."""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    hot = (np.arange(logits.shape[-1]) == targets[..., None]) & (targets != ignore)[..., None]
    z = np.where((targets != ignore)[..., None], logits, 0.0)
    z = z - z.max(-1, keepdims=True)
    logp = z - np.log(np.exp(z).sum(-1, keepdims=True))
    return -np.einsum("...v,...v->", hot.astype(float), logp) / max(hot.sum(), 1)


@right_answer(step="cross_entropy")
def ce_one_hot_einsum(logits, targets, ignore=-1):
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    hot = (np.arange(logits.shape[-1]) == targets[..., None]) & (targets != ignore)[..., None]
    z = np.where((targets != ignore)[..., None], logits, 0.0)
    z = z - z.max(-1, keepdims=True)
    logp = z - np.log(np.exp(z).sum(-1, keepdims=True))
    return -np.einsum(
        "nv,nv->", *(a.reshape(-1, a.shape[-1]) for a in (hot.astype(float), logp))
    ) / max(hot.sum(), 1)


@wrong_answer(step="cross_entropy_backward")
def cb_sum(logits, targets, ignore=-1):
    """of the sum, not the mean"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    e = np.exp(logits - logits.max(-1, keepdims=True))
    d = e / e.sum(-1, keepdims=True)
    d = d - (np.arange(d.shape[-1]) == targets[..., None])
    d[~keep] = 0
    return d


@wrong_answer(step="cross_entropy_backward")
def cb_all_rows(logits, targets, ignore=-1):
    """divides by all rows"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    e = np.exp(logits - logits.max(-1, keepdims=True))
    d = e / e.sum(-1, keepdims=True)
    d = d - (np.arange(d.shape[-1]) == targets[..., None])
    d[~keep] = 0
    return d / targets.size


@wrong_answer(step="cross_entropy_backward")
def cb_per_text(logits, targets, ignore=-1):
    """divides by the length of the last axis"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    e = np.exp(logits - logits.max(-1, keepdims=True))
    d = e / e.sum(-1, keepdims=True)
    d = d - (np.arange(d.shape[-1]) == targets[..., None])
    d[~keep] = 0
    return d / np.maximum(keep.sum(-1), 1)[..., None, None]


@wrong_answer(step="cross_entropy_backward")
def cb_sign(logits, targets, ignore=-1):
    """target minus probability"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    e = np.exp(logits - logits.max(-1, keepdims=True))
    d = (np.arange(logits.shape[-1]) == targets[..., None]) - e / e.sum(-1, keepdims=True)
    d[~keep] = 0
    return d / max(keep.sum(), 1)


@wrong_answer(step="cross_entropy_backward")
def cb_target_only(logits, targets, ignore=-1):
    """only the target's logit is pushed"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    e = np.exp(logits - logits.max(-1, keepdims=True))
    hot = np.arange(logits.shape[-1]) == targets[..., None]
    d = (e / e.sum(-1, keepdims=True) - 1.0) * hot
    d[~keep] = 0
    return d / max(keep.sum(), 1)


@wrong_answer(step="cross_entropy_backward")
def cb_ignored_rows_keep_softmax(logits, targets, ignore=-1):
    """ignored rows: only the 1 is not subtracted"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    e = np.exp(logits - logits.max(-1, keepdims=True))
    hot = (np.arange(logits.shape[-1]) == targets[..., None]) & keep[..., None]
    return (e / e.sum(-1, keepdims=True) - hot) / max(keep.sum(), 1)


@wrong_answer(step="cross_entropy_backward")
def cb_nan_for_padding(logits, targets, ignore=-1):
    """0/0"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    e = np.exp(logits - logits.max(-1, keepdims=True))
    hot = np.arange(logits.shape[-1]) == targets[..., None]
    return np.where(keep[..., None], e / e.sum(-1, keepdims=True) - hot, 0.0) / keep.sum()


@right_answer(step="cross_entropy_backward")
def cb_minus_one_only(logits, targets, ignore=-1):
    """Of a negative `ignore` all negative targets are left out, and no other ones occur."""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets >= 0 if ignore < 0 else targets != ignore
    e = np.exp(logits - logits.max(-1, keepdims=True))
    hot = np.arange(logits.shape[-1]) == targets[..., None]
    return np.where(keep[..., None], e / e.sum(-1, keepdims=True) - hot, 0.0) / max(keep.sum(), 1)


@wrong_answer(step="cross_entropy_backward")
def cb_two_axes(logits, targets, ignore=-1):
    """d[np.arange(n), targets] with a flattened first axis only"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    e = np.exp(logits - logits.max(-1, keepdims=True))
    d = e / e.sum(-1, keepdims=True)
    if targets.ndim == 1:
        d[np.arange(len(targets)), targets] -= 1
    else:
        for i in range(targets.shape[0]):
            d[i, np.arange(targets.shape[1]), targets[i]] -= 1
    d[~keep] = 0
    return d / max(keep.sum(), 1)


@wrong_answer(step="cross_entropy_backward")
def cb_in_place(logits, targets, ignore=-1):
    """softmax in place on the argument"""
    targets = np.asarray(targets)
    logits = np.asarray(logits)
    keep = targets != ignore
    logits -= logits.max(-1, keepdims=True)
    p = np.exp(logits)
    p /= p.sum(-1, keepdims=True)
    hot = np.arange(p.shape[-1]) == targets[..., None]
    return np.where(keep[..., None], p - hot, 0.0) / max(keep.sum(), 1)


@wrong_answer(step="cross_entropy_backward")
def cb_no_stability(logits, targets, ignore=-1):
    """clips the logits at 500 so that exp does not overflow"""
    logits, targets = np.clip(np.asarray(logits, float), -500, 500), np.asarray(targets)
    keep = targets != ignore
    e = np.exp(logits)
    hot = np.arange(logits.shape[-1]) == targets[..., None]
    return np.where(keep[..., None], e / e.sum(-1, keepdims=True) - hot, 0.0) / max(keep.sum(), 1)


@wrong_answer(step="cross_entropy_backward")
def cb_softmax_jacobian_twice(logits, targets, ignore=-1):
    """multiplies p - y by the slope of softmax once more"""
    logits, targets = np.asarray(logits, float), np.asarray(targets)
    keep = targets != ignore
    e = np.exp(logits - logits.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    hot = np.arange(logits.shape[-1]) == targets[..., None]
    return np.where(keep[..., None], (p - hot) * p * (1 - p), 0.0) / max(keep.sum(), 1)


@right_answer(step="cross_entropy_backward")
def cb_loops(logits, targets, ignore=-1):
    logits = np.array(logits, dtype=float)
    flat, t = logits.reshape(-1, logits.shape[-1]), np.ravel(targets)
    n = sum(1 for i in t if i != ignore)
    out = []
    for row, i in zip(flat, t):
        if i == ignore:
            out.append([0.0] * len(row))
            continue
        m = max(row)
        total = sum(math.exp(v - m) for v in row)
        out.append([(math.exp(v - m) / total - (j == i)) / n for j, v in enumerate(row)])
    return np.array(out).reshape(logits.shape)


@right_answer(step="cross_entropy_backward")
def cb_float32_result(logits, targets, ignore=-1):
    logits, targets = np.array(logits, float), np.array(targets)
    kept = targets != ignore
    logits[~kept] = 0
    p = np.exp(logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True))
    targets[~kept] = 0
    at = np.take_along_axis(p, targets[..., None], -1) - 1
    np.put_along_axis(p, targets[..., None], at, -1)
    p *= kept[..., None]
    if kept.any():
        p /= np.count_nonzero(kept)
    return p.astype(np.float32)


@right_answer(step="cross_entropy_backward")
def cb_identity_matrix(logits, targets, ignore=-1):
    z, t = np.asarray(logits, float), np.asarray(targets)
    d = np.zeros_like(z)
    sel = t != ignore
    if sel.any():
        s = z[sel]
        s = np.exp(s - np.max(s, axis=1)[:, np.newaxis])
        d[sel] = (s / np.sum(s, 1)[:, None] - np.eye(z.shape[-1])[t[sel]]) / sel.sum()
    return d


@wrong_answer(step="linear_backward")
def li_swapaxes_not_flat(d_output, x, W):
    """sums dW over the batch, but takes only one axis of leading axes into account (mean instead of sum)"""
    d_output, x, W = (np.asarray(a, float) for a in (d_output, x, W))
    X, D = x.reshape(-1, x.shape[-1]), d_output.reshape(-1, d_output.shape[-1])
    return d_output @ W.T, X.T @ D / len(X), D.mean(0)


@wrong_answer(step="linear_backward")
def li_dw_transposed(d_output, x, W):
    """(d_out, d_in)"""
    d_output, x, W = (np.asarray(a, float) for a in (d_output, x, W))
    X, D = x.reshape(-1, x.shape[-1]), d_output.reshape(-1, d_output.shape[-1])
    return d_output @ W.T, D.T @ X, D.sum(0)


@wrong_answer(step="linear_backward")
def li_w_not_transposed_if_square(d_output, x, W):
    """W where it fits, W.T where it does not"""
    d_output, x, W = (np.asarray(a, float) for a in (d_output, x, W))
    X, D = x.reshape(-1, x.shape[-1]), d_output.reshape(-1, d_output.shape[-1])
    d_x = d_output @ W if W.shape[0] == W.shape[1] else d_output @ W.T
    return d_x, X.T @ D, D.sum(0)


@wrong_answer(step="linear_backward")
def li_bias_first_axis(d_output, x, W):
    """db = d_output.sum(0), fine for two axes"""
    d_output, x, W = (np.asarray(a, float) for a in (d_output, x, W))
    X, D = x.reshape(-1, x.shape[-1]), d_output.reshape(-1, d_output.shape[-1])
    return d_output @ W.T, X.T @ D, np.atleast_2d(d_output).sum(0)


@wrong_answer(step="linear_backward")
def li_bias_keepdims(d_output, x, W):
    """db has the shape (1, d_out)"""
    d_output, x, W = (np.asarray(a, float) for a in (d_output, x, W))
    X, D = x.reshape(-1, x.shape[-1]), d_output.reshape(-1, d_output.shape[-1])
    return d_output @ W.T, X.T @ D, D.sum(0, keepdims=True)


@wrong_answer(step="linear_backward")
def li_bias_sums_features(d_output, x, W):
    """db sums over the features"""
    d_output, x, W = (np.asarray(a, float) for a in (d_output, x, W))
    X, D = x.reshape(-1, x.shape[-1]), d_output.reshape(-1, d_output.shape[-1])
    return d_output @ W.T, X.T @ D, D.sum(-1)


@wrong_answer(step="linear_backward")
def li_order(d_output, x, W):
    """d_W first"""
    d_output, x, W = (np.asarray(a, float) for a in (d_output, x, W))
    X, D = x.reshape(-1, x.shape[-1]), d_output.reshape(-1, d_output.shape[-1])
    return X.T @ D, d_output @ W.T, D.sum(0)


@wrong_answer(step="linear_backward")
def li_flat_dx(d_output, x, W):
    """d_x stays flattened"""
    d_output, x, W = (np.asarray(a, float) for a in (d_output, x, W))
    X, D = x.reshape(-1, x.shape[-1]), d_output.reshape(-1, d_output.shape[-1])
    return D @ W.T, X.T @ D, D.sum(0)


@wrong_answer(step="linear_backward")
def li_three_axes_at_most(d_output, x, W):
    """einsum for two or three axes, a special case for one; four fail"""
    d_output, x, W = (np.asarray(a, float) for a in (d_output, x, W))
    if x.ndim == 1:
        return W @ d_output, np.outer(x, d_output), d_output
    if x.ndim == 2:
        return d_output @ W.T, x.T @ d_output, d_output.sum(0)
    return d_output @ W.T, np.einsum("bni,bno->io", x, d_output), d_output.sum((0, 1))


@wrong_answer(step="linear_backward")
def li_last_of_batch(d_output, x, W):
    """d_W is assigned, not added, in the loop over texts"""
    d_output, x, W = (np.asarray(a, float) for a in (d_output, x, W))
    d_x = d_output @ W.T
    if x.ndim == 1:
        return d_x, np.outer(x, d_output), d_output.copy()
    X, D = x.reshape(-1, *x.shape[-2:]), d_output.reshape(-1, *d_output.shape[-2:])
    for a, b in zip(X, D):
        d_W = a.T @ b
    return d_x, d_W, D.sum((0, 1))


@wrong_answer(step="linear_backward")
def li_updates_w(d_output, x, W):
    """applies the gradient to W at once, in place"""
    d_output, x, W = (np.asarray(a) for a in (d_output, x, W))
    X, D = x.reshape(-1, x.shape[-1]), d_output.reshape(-1, d_output.shape[-1])
    answer = d_output @ W.T, X.T @ D, D.sum(0)
    W -= 0.01 * answer[1]
    return answer


@wrong_answer(step="linear_backward")
def li_einsum_left_over(d_output, x, W):
    """The axes behind the dots are in no output, which einsum refuses."""
    return (
        np.einsum("...o,io->...i", d_output, W),
        np.einsum("...i,...o->io", x, d_output),
        np.einsum("...o->o", d_output),
    )


@right_answer(step="linear_backward")
def li_einsum(d_output, x, W):
    D, X = (np.reshape(a, (-1, np.shape(a)[-1])) for a in (d_output, x))
    return (
        np.einsum("...o,io->...i", d_output, W),
        np.einsum("ni,no->io", X, D),
        np.einsum("no->o", D),
    )


@right_answer(step="linear_backward")
def li_tensordot(d_output, x, W):
    d_output, x = np.asarray(d_output), np.asarray(x)
    axes = tuple(range(x.ndim - 1))
    return [np.inner(d_output, W), np.tensordot(x, d_output, (axes, axes)), d_output.sum(axis=axes)]


@right_answer(step="linear_backward")
def li_token_by_token(d_output, x, W):
    d_output, x, W = np.asarray(d_output), np.asarray(x), np.asarray(W)
    d_x, d_W, d_b = np.empty(x.shape), np.zeros(W.shape), np.zeros(W.shape[1])
    for at in np.ndindex(x.shape[:-1]):
        d_x[at] = W @ d_output[at]
        d_W += np.multiply.outer(x[at], d_output[at])
        d_b += d_output[at]
    return d_x, d_W, d_b


@right_answer(step="linear_backward")
def li_bias_as_ones(d_output, x, W):
    """the bias is a weight of an input that is 1"""
    d_output, x, W = (np.asarray(a, dtype=np.float64) for a in (d_output, x, W))
    D = d_output.reshape(-1, d_output.shape[-1])
    X = np.hstack([x.reshape(-1, x.shape[-1]), np.ones((len(D), 1))])
    both = X.T @ D
    return (D @ W.T).reshape(x.shape), both[:-1], both[-1]


@wrong_answer(step="layer_norm_backward")
def ln_no_mean_term(d_output, x, gamma, eps=1e-5):
    d_output, x, gamma = (np.asarray(a, float) for a in (d_output, x, gamma))
    s = np.sqrt(x.var(-1, keepdims=True) + eps)
    h = (x - x.mean(-1, keepdims=True)) / s
    g = gamma * d_output
    over = tuple(range(x.ndim - 1))
    return (
        (g - h * (g * h).mean(-1, keepdims=True)) / s,
        (d_output * h).sum(over),
        d_output.sum(over),
    )


@wrong_answer(step="layer_norm_backward")
def ln_no_variance_term(d_output, x, gamma, eps=1e-5):
    d_output, x, gamma = (np.asarray(a, float) for a in (d_output, x, gamma))
    s = np.sqrt(x.var(-1, keepdims=True) + eps)
    h = (x - x.mean(-1, keepdims=True)) / s
    g = gamma * d_output
    over = tuple(range(x.ndim - 1))
    return (g - g.mean(-1, keepdims=True)) / s, (d_output * h).sum(over), d_output.sum(over)


@wrong_answer(step="layer_norm_backward")
def ln_gamma_after(d_output, x, gamma, eps=1e-5):
    """gamma multiplied at the end, outside the brackets"""
    d_output, x, gamma = (np.asarray(a, float) for a in (d_output, x, gamma))
    s = np.sqrt(x.var(-1, keepdims=True) + eps)
    h = (x - x.mean(-1, keepdims=True)) / s
    g = d_output
    over = tuple(range(x.ndim - 1))
    return (
        gamma * (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True)) / s,
        (d_output * h).sum(over),
        d_output.sum(over),
    )


@wrong_answer(step="layer_norm_backward")
def ln_ddof(d_output, x, gamma, eps=1e-5):
    """variance divided by n - 1 (where there is more than one feature)"""
    d_output, x, gamma = (np.asarray(a, float) for a in (d_output, x, gamma))
    s = np.sqrt(x.var(-1, keepdims=True, ddof=1 if x.shape[-1] > 1 else 0) + eps)
    h = (x - x.mean(-1, keepdims=True)) / s
    g = gamma * d_output
    over = tuple(range(x.ndim - 1))
    return (
        (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True)) / s,
        (d_output * h).sum(over),
        d_output.sum(over),
    )


@wrong_answer(step="layer_norm_backward")
def ln_eps_outside(d_output, x, gamma, eps=1e-5):
    """eps added to the standard deviation"""
    d_output, x, gamma = (np.asarray(a, float) for a in (d_output, x, gamma))
    s = x.std(-1, keepdims=True) + eps
    h = (x - x.mean(-1, keepdims=True)) / s
    g = gamma * d_output
    over = tuple(range(x.ndim - 1))
    return (
        (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True)) / s,
        (d_output * h).sum(over),
        d_output.sum(over),
    )


@wrong_answer(step="layer_norm_backward")
def ln_eps_fixed(d_output, x, gamma, eps=1e-5):
    """1e-5 written into the body"""
    d_output, x, gamma = (np.asarray(a, float) for a in (d_output, x, gamma))
    s = np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    h = (x - x.mean(-1, keepdims=True)) / s
    g = gamma * d_output
    over = tuple(range(x.ndim - 1))
    return (
        (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True)) / s,
        (d_output * h).sum(over),
        d_output.sum(over),
    )


@wrong_answer(step="layer_norm_backward")
def ln_means_over_all_tokens(d_output, x, gamma, eps=1e-5):
    """the two means are over everything"""
    d_output, x, gamma = (np.asarray(a, float) for a in (d_output, x, gamma))
    s = np.sqrt(x.var(-1, keepdims=True) + eps)
    h = (x - x.mean(-1, keepdims=True)) / s
    g = gamma * d_output
    over = tuple(range(x.ndim - 1))
    return (g - g.mean() - h * (g * h).mean()) / s, (d_output * h).sum(over), d_output.sum(over)


@wrong_answer(step="layer_norm_backward")
def ln_dgamma_of_x(d_output, x, gamma, eps=1e-5):
    """d_gamma with x instead of the normed x"""
    d_output, x, gamma = (np.asarray(a, float) for a in (d_output, x, gamma))
    s = np.sqrt(x.var(-1, keepdims=True) + eps)
    h = (x - x.mean(-1, keepdims=True)) / s
    g = gamma * d_output
    over = tuple(range(x.ndim - 1))
    return (
        (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True)) / s,
        (d_output * x).sum(over),
        d_output.sum(over),
    )


@wrong_answer(step="layer_norm_backward")
def ln_dgamma_scaled(d_output, x, gamma, eps=1e-5):
    """d_gamma from g, which has gamma in it already; d_beta too"""
    d_output, x, gamma = (np.asarray(a, float) for a in (d_output, x, gamma))
    s = np.sqrt(x.var(-1, keepdims=True) + eps)
    h = (x - x.mean(-1, keepdims=True)) / s
    g = gamma * d_output
    over = tuple(range(x.ndim - 1))
    return (
        (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True)) / s,
        (g * h).sum(over),
        g.sum(over),
    )


@wrong_answer(step="layer_norm_backward")
def ln_dbeta_mean(d_output, x, gamma, eps=1e-5):
    """averages over tokens"""
    d_output, x, gamma = (np.asarray(a, float) for a in (d_output, x, gamma))
    s = np.sqrt(x.var(-1, keepdims=True) + eps)
    h = (x - x.mean(-1, keepdims=True)) / s
    g = gamma * d_output
    over = tuple(range(x.ndim - 1))
    return (
        (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True)) / s,
        (d_output * h).mean(over),
        d_output.mean(over),
    )


@wrong_answer(step="layer_norm_backward")
def ln_sum_over_one_axis(d_output, x, gamma, eps=1e-5):
    """sums over axis 0, reshaped for three axes only"""
    d_output, x, gamma = (np.asarray(a, float) for a in (d_output, x, gamma))
    s = np.sqrt(x.var(-1, keepdims=True) + eps)
    h = (x - x.mean(-1, keepdims=True)) / s
    g = gamma * d_output
    over = {1: (), 2: (0,)}.get(x.ndim, (0, 1))
    return (
        (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True)) / s,
        (d_output * h).sum(over),
        d_output.sum(over),
    )


@wrong_answer(step="layer_norm_backward")
def ln_variance_not_root(d_output, x, gamma, eps=1e-5):
    """divides d_x by the variance"""
    d_output, x, gamma = (np.asarray(a, float) for a in (d_output, x, gamma))
    v = x.var(-1, keepdims=True) + eps
    h = (x - x.mean(-1, keepdims=True)) / np.sqrt(v)
    g = gamma * d_output
    over = tuple(range(x.ndim - 1))
    return (
        (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True)) / v,
        (d_output * h).sum(over),
        d_output.sum(over),
    )


@wrong_answer(step="layer_norm_backward")
def ln_plus(d_output, x, gamma, eps=1e-5):
    """plus in front of the last term"""
    d_output, x, gamma = (np.asarray(a, float) for a in (d_output, x, gamma))
    s = np.sqrt(x.var(-1, keepdims=True) + eps)
    h = (x - x.mean(-1, keepdims=True)) / s
    g = gamma * d_output
    over = tuple(range(x.ndim - 1))
    return (
        (g - g.mean(-1, keepdims=True) + h * (g * h).mean(-1, keepdims=True)) / s,
        (d_output * h).sum(over),
        d_output.sum(over),
    )


@wrong_answer(step="layer_norm_backward")
def ln_product_of_means(d_output, x, gamma, eps=1e-5):
    """mean(g) * mean(h) instead of mean(g h)"""
    d_output, x, gamma = (np.asarray(a, float) for a in (d_output, x, gamma))
    s = np.sqrt(x.var(-1, keepdims=True) + eps)
    h = (x - x.mean(-1, keepdims=True)) / s
    g = gamma * d_output
    over = tuple(range(x.ndim - 1))
    return (
        (g - g.mean(-1, keepdims=True) - h * g.mean(-1, keepdims=True) * h.mean(-1, keepdims=True))
        / s,
        (d_output * h).sum(over),
        d_output.sum(over),
    )


@wrong_answer(step="layer_norm_backward")
def ln_centres_in_place(d_output, x, gamma, eps=1e-5):
    """x -= mean on the argument"""
    d_output, x, gamma = (np.asarray(a) for a in (d_output, x, gamma))
    s = np.sqrt(x.var(-1, keepdims=True) + eps)
    x -= x.mean(-1, keepdims=True)
    h = x / s
    g = gamma * d_output
    over = tuple(range(x.ndim - 1))
    return (
        (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True)) / s,
        (d_output * h).sum(over),
        d_output.sum(over),
    )


@wrong_answer(step="layer_norm_backward")
def ln_not_normed_in_last_term(d_output, x, gamma, eps=1e-5):
    """the last term takes the centred x, not divided by s, in one of the two places"""
    d_output, x, gamma = (np.asarray(a, float) for a in (d_output, x, gamma))
    s = np.sqrt(x.var(-1, keepdims=True) + eps)
    c = x - x.mean(-1, keepdims=True)
    h = c / s
    g = gamma * d_output
    over = tuple(range(x.ndim - 1))
    return (
        (g - g.mean(-1, keepdims=True) - c * (g * h).mean(-1, keepdims=True)) / s,
        (d_output * h).sum(over),
        d_output.sum(over),
    )


@right_answer(step="layer_norm_backward")
def ln_chain(d_output, x, gamma, eps=1e-5):
    """the long way of a framework: through the variance, then through the mean"""
    dy, x, gamma = (np.array(a, dtype=float) for a in (d_output, x, gamma))
    n = x.shape[-1]
    mu = x.sum(-1, keepdims=True) / n
    var = ((x - mu) ** 2).sum(-1, keepdims=True) / n
    inv = (var + eps) ** -0.5
    dh = dy * gamma
    dvar = (dh * (x - mu) * -0.5 * inv**3).sum(-1, keepdims=True)
    dmu = (-dh * inv).sum(-1, keepdims=True) + dvar * (-2 * (x - mu)).sum(-1, keepdims=True) / n
    dx = dh * inv + dvar * 2 * (x - mu) / n + dmu / n
    flat = dy.reshape(-1, n)
    return dx, np.einsum("ij,ij->j", flat, ((x - mu) * inv).reshape(-1, n)), flat.sum(0)


@right_answer(step="layer_norm_backward")
def ln_jacobian(d_output, x, gamma, eps=1e-5):
    """one matrix for each token"""
    dy, x, gamma = (np.asarray(a, float) for a in (d_output, x, gamma))
    n = x.shape[-1]
    dx, dg, db = np.zeros(x.shape), np.zeros(n), np.zeros(n)
    centre = np.eye(n) - np.full((n, n), 1 / n)
    for at in np.ndindex(x.shape[:-1]):
        c = centre @ x[at]
        s = math.sqrt(c @ c / n + eps)
        jacobian = centre / s - np.outer(c, c) / (n * s**3)
        dx[at] = (gamma * dy[at]) @ jacobian
        dg += dy[at] * c / s
        db += dy[at]
    return dx, dg, db


@right_answer(step="layer_norm_backward")
def ln_list_of_three(d_output, x, gamma, eps=1e-5):
    d, x, gamma = (np.asarray(a, np.float64) for a in (d_output, x, gamma))
    x = x - np.mean(x, axis=-1)[..., None]
    r = 1 / np.sqrt(np.mean(x * x, axis=-1)[..., None] + eps)
    h = x * r
    g = gamma * d
    dx = r * (
        g
        - np.mean(g, -1)[..., None]
        - h * np.einsum("...i,...i->...", g, h)[..., None] / x.shape[-1]
    )
    axes = tuple(range(d.ndim - 1))
    return [dx, np.add.reduce(d * h, axis=axes), np.add.reduce(d, axis=axes)]


@wrong_answer(step="gelu_backward")
def ge_tanh(d_output, x):
    """gradient of the tanh approximation"""
    x = np.asarray(x, float)
    u = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    t = np.tanh(u)
    return d_output * (
        0.5 * (1 + t) + 0.5 * x * (1 - t * t) * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x**2)
    )


@wrong_answer(step="gelu_backward")
def ge_no_product_rule(d_output, x):
    """only Phi"""
    x = np.asarray(x, float)
    return d_output * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


@wrong_answer(step="gelu_backward")
def ge_erf_without_root(d_output, x):
    """erf(x / 2)"""
    x = np.asarray(x, float)
    return d_output * (
        0.5 * (1 + np.vectorize(math.erf)(x / 2)) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    )


@wrong_answer(step="gelu_backward")
def ge_density_without_half(d_output, x):
    """exp(-x^2)"""
    x = np.asarray(x, float)
    return d_output * (
        0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
        + x * np.exp(-x * x) / math.sqrt(2 * math.pi)
    )


@wrong_answer(step="gelu_backward")
def ge_density_scale(d_output, x):
    """1 / (2 pi) without the root"""
    x = np.asarray(x, float)
    return d_output * (
        0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
        + x * np.exp(-x * x / 2) / (2 * math.pi)
    )


@wrong_answer(step="gelu_backward")
def ge_phi_without_x(d_output, x):
    """Phi + phi"""
    x = np.asarray(x, float)
    return d_output * (
        0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
        + np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    )


@wrong_answer(step="gelu_backward")
def ge_forward_times_d(d_output, x):
    """gelu(x) times d_output"""
    x = np.asarray(x, float)
    return d_output * x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


@wrong_answer(step="gelu_backward")
def ge_sigmoid(d_output, x):
    """the approximation x sigmoid(1.702 x)"""
    x = np.asarray(x, float)
    s = 1 / (1 + np.exp(-np.clip(1.702 * x, -500, 500)))
    return d_output * (s + 1.702 * x * s * (1 - s))


@wrong_answer(step="gelu_backward")
def ge_relu(d_output, x):
    return np.where(np.asarray(x) > 0, d_output, 0.0)


@wrong_answer(step="gelu_backward")
def ge_forgets_d(d_output, x):
    x = np.asarray(x, float)
    return 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) + x * np.exp(
        -x * x / 2
    ) / math.sqrt(2 * math.pi)


@wrong_answer(step="gelu_backward")
def ge_cut_off(d_output, x):
    """cuts x at 3 to be safe"""
    x = np.clip(np.asarray(x, float), -3, 3)
    return d_output * (
        0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
        + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    )


@wrong_answer(step="gelu_backward")
def ge_vectorize_int(d_output, x):
    """an erf table that is made by vectorize with otypes int when the first is whole: rounds"""
    x = np.asarray(x, float)
    erf = np.vectorize(lambda v: round(math.erf(v), 4))
    return d_output * (
        0.5 * (1 + erf(x / math.sqrt(2))) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    )


@wrong_answer(step="gelu_backward")
def ge_one_axis(d_output, x):
    """loops over two axes by hand"""
    d, x = np.asarray(d_output, float), np.asarray(x, float)

    def f(v):
        return 0.5 * (1 + math.erf(v / math.sqrt(2))) + v * math.exp(-v * v / 2) / math.sqrt(
            2 * math.pi
        )

    if x.ndim == 1:
        return d * np.array([f(v) for v in x])
    return d * np.array([[f(v) for v in row] for row in x])


@right_answer(step="gelu_backward")
def ge_erfc(d_output, x):
    x = np.asarray(x, float)
    tail = np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x.ravel()]).reshape(x.shape)
    return np.asarray(d_output) * (tail + x * np.exp(-0.5 * x**2) * 0.3989422804014327)


@right_answer(step="gelu_backward")
def ge_recursive(d_output, x):
    if np.ndim(x) > 0:
        return np.array([ge_recursive(a, b) for a, b in zip(d_output, x)])
    return d_output * (
        (1 + math.erf(x / 2**0.5)) / 2 + x * math.exp(-min(x * x, 1400) / 2) / math.sqrt(math.tau)
    )


@right_answer(step="gelu_backward")
def ge_central(d_output, x):
    """a difference quotient of the forward function"""
    x = np.asarray(x, float)
    erf = np.vectorize(math.erf, otypes=[float])

    def phi(v):
        return (1 + erf(v / np.sqrt(2))) / 2

    h = 1e-5
    return d_output * (phi(x) + x * (phi(x + h) - phi(x - h)) / (2 * h))


@wrong_answer(step="embedding_backward")
def em_plus_equals(d_output, tokens, vocabulary_size):
    d = np.zeros((vocabulary_size, np.shape(d_output)[-1]))
    d[np.asarray(tokens)] += d_output
    return d


@wrong_answer(step="embedding_backward")
def em_mean(d_output, tokens, vocabulary_size):
    """averages over the occurrences"""
    d_output, tokens = np.asarray(d_output, float), np.asarray(tokens)
    d = np.zeros((vocabulary_size, d_output.shape[-1]))
    np.add.at(d, tokens, d_output)
    n = np.bincount(tokens.ravel(), minlength=vocabulary_size)
    return d / np.maximum(n, 1)[:, None]


@wrong_answer(step="embedding_backward")
def em_last_wins(d_output, tokens, vocabulary_size):
    d_output, tokens = np.asarray(d_output, float), np.asarray(tokens)
    d = np.zeros((vocabulary_size, d_output.shape[-1]))
    for t, row in zip(tokens.ravel(), d_output.reshape(-1, d_output.shape[-1])):
        d[t] = row
    return d


@wrong_answer(step="embedding_backward")
def em_plus_equals_per_text(d_output, tokens, vocabulary_size):
    """+= text by text: a repeat inside a text is lost, between texts it is not"""
    d_output, tokens = np.asarray(d_output, float), np.asarray(tokens)
    d = np.zeros((vocabulary_size, d_output.shape[-1]))
    for ts, rows in zip(
        tokens.reshape(-1, tokens.shape[-1]),
        d_output.reshape(-1, tokens.shape[-1], d_output.shape[-1]),
    ):
        d[ts] += rows
    return d


@wrong_answer(step="embedding_backward")
def em_max_token(d_output, tokens, vocabulary_size):
    """the table is as long as the largest token + 1 at least needs"""
    d_output, tokens = np.asarray(d_output, float), np.asarray(tokens)
    hot = np.eye(tokens.max() + 1)[tokens.ravel()]
    return hot.T @ d_output.reshape(-1, d_output.shape[-1])


@wrong_answer(step="embedding_backward")
def em_transposed(d_output, tokens, vocabulary_size):
    d_output, tokens = np.asarray(d_output, float), np.asarray(tokens)
    hot = np.eye(vocabulary_size)[tokens.ravel()]
    return d_output.reshape(-1, d_output.shape[-1]).T @ hot


@wrong_answer(step="embedding_backward")
def em_module_state(d_output, tokens, vocabulary_size, table={}):
    """a default dictionary that keeps the gradient of the call before"""
    d_output, tokens = np.asarray(d_output, float), np.asarray(tokens)
    key = (vocabulary_size, d_output.shape[-1])
    if key not in table:
        table[key] = np.zeros(key)
    np.add.at(table[key], tokens, d_output)
    return table[key].copy()


@wrong_answer(step="embedding_backward")
def em_counts_only(d_output, tokens, vocabulary_size):
    """how often each token occurs times its first gradient"""
    d_output, tokens = np.asarray(d_output, float), np.asarray(tokens)
    flat, rows = tokens.ravel(), d_output.reshape(-1, d_output.shape[-1])
    d = np.zeros((vocabulary_size, rows.shape[-1]))
    for t in set(flat.tolist()):
        d[t] = rows[np.argmax(flat == t)] * np.sum(flat == t)
    return d


@wrong_answer(step="embedding_backward")
def em_integer_table(d_output, tokens, vocabulary_size):
    """the table takes over the dtype of the tokens"""
    d_output, tokens = np.asarray(d_output, float), np.asarray(tokens)
    d = np.zeros((vocabulary_size, d_output.shape[-1]), dtype=tokens.dtype)
    for t, row in zip(tokens.ravel(), d_output.reshape(-1, d_output.shape[-1])):
        d[t] += row.astype(tokens.dtype)
    return d


@wrong_answer(step="embedding_backward")
def em_only_neighbours(d_output, tokens, vocabulary_size):
    """np.unique with the first index, sorted rows in the wrong order"""
    d_output, tokens = np.asarray(d_output, float), np.asarray(tokens)
    rows = d_output.reshape(-1, d_output.shape[-1])
    order = np.argsort(tokens.ravel(), kind="stable")
    there, start = np.unique(tokens.ravel(), return_index=True)
    d = np.zeros((vocabulary_size, rows.shape[-1]))
    starts = np.searchsorted(tokens.ravel()[order], there)
    d[there] = np.add.reduceat(rows, starts, axis=0)
    return d


@wrong_answer(step="embedding_backward")
def em_one_hot_left_over(d_output, tokens, vocabulary_size):
    """The axes behind the dots are in no output, which einsum refuses."""
    tokens = np.asarray(tokens)
    hot = (tokens[..., None] == np.arange(vocabulary_size)).astype(float)
    return np.einsum("...v,...d->vd", hot, d_output)


@right_answer(step="embedding_backward")
def em_one_hot(d_output, tokens, vocabulary_size):
    tokens = np.asarray(tokens)
    hot = (tokens[..., None] == np.arange(vocabulary_size)).astype(float)
    return np.einsum(
        "nv,nd->vd",
        hot.reshape(-1, vocabulary_size),
        np.reshape(d_output, (hot.size // vocabulary_size, -1)),
    )


@right_answer(step="embedding_backward")
def em_bincount(d_output, tokens, vocabulary_size):
    d_output, tokens = np.asarray(d_output), np.asarray(tokens).ravel()
    columns = d_output.reshape(-1, d_output.shape[-1]).T
    return np.stack(
        [np.bincount(tokens, weights=c, minlength=vocabulary_size) for c in columns], axis=-1
    )


@right_answer(step="embedding_backward")
def em_sorted(d_output, tokens, vocabulary_size):
    d_output, tokens = np.asarray(d_output, float), np.asarray(tokens).reshape(-1)
    rows = d_output.reshape(tokens.size, -1)
    order = np.argsort(tokens, kind="stable")
    there, starts = np.unique(tokens[order], return_index=True)
    d = np.zeros((vocabulary_size, rows.shape[1]))
    d[there] = np.add.reduceat(rows[order], starts, axis=0)
    return d


@right_answer(step="embedding_backward")
def em_nested_lists(d_output, tokens, vocabulary_size):
    size = np.shape(d_output)[-1]
    d = [[0.0] * size for _ in range(vocabulary_size)]

    def walk(t, rows):
        if np.ndim(t):
            for a, b in zip(t, rows):
                walk(a, b)
        else:
            d[t] = [a + float(b) for a, b in zip(d[t], rows)]

    walk(tokens, d_output)
    return d


@wrong_answer(step="clip_by_global_norm")
def cl_each(gradients, max_norm):
    """each array on its own"""
    return [
        g * min(1.0, max_norm / max(np.sqrt((np.asarray(g) ** 2).sum()), 1e-300)) for g in gradients
    ]


@wrong_answer(step="clip_by_global_norm")
def cl_always(gradients, max_norm):
    """always scaled to max_norm"""
    norm = math.sqrt(sum(float((np.asarray(g) ** 2).sum()) for g in gradients))
    return [np.asarray(g) * (max_norm / norm if norm else 1.0) for g in gradients]


@wrong_answer(step="clip_by_global_norm")
def cl_sum_of_norms(gradients, max_norm):
    """adds the norms of the arrays"""
    norm = sum(float(np.linalg.norm(np.ravel(g))) for g in gradients)
    return [np.asarray(g) * (max_norm / norm if norm > max_norm else 1.0) for g in gradients]


@wrong_answer(step="clip_by_global_norm")
def cl_values(gradients, max_norm):
    """np.clip of every number"""
    return [np.clip(g, -max_norm, max_norm) for g in gradients]


@wrong_answer(step="clip_by_global_norm")
def cl_no_root(gradients, max_norm):
    norm = sum(float((np.asarray(g) ** 2).sum()) for g in gradients)
    return [np.asarray(g) * (max_norm / norm if norm > max_norm else 1.0) for g in gradients]


@wrong_answer(step="clip_by_global_norm")
def cl_eps(gradients, max_norm):
    """max_norm / (norm + 1e-6), as PyTorch does, with a large enough epsilon to see"""
    norm = math.sqrt(sum(float((np.asarray(g) ** 2).sum()) for g in gradients))
    return [np.asarray(g) * min(1.0, max_norm / (norm + 1e-3)) for g in gradients]


@wrong_answer(step="clip_by_global_norm")
def cl_spectral(gradients, max_norm):
    """np.linalg.norm(g, 2) is the spectral norm of a matrix"""
    norm = math.sqrt(
        sum(
            (np.linalg.norm(np.asarray(g), 2) if np.ndim(g) <= 2 else np.linalg.norm(np.ravel(g)))
            ** 2
            for g in gradients
        )
    )
    return [np.asarray(g) * (max_norm / norm if norm > max_norm else 1.0) for g in gradients]


@wrong_answer(step="clip_by_global_norm")
def cl_in_place(gradients, max_norm):
    norm = math.sqrt(sum(float((np.asarray(g) ** 2).sum()) for g in gradients))
    if norm > max_norm:
        for g in gradients:
            g *= max_norm / norm
    return gradients


@wrong_answer(step="clip_by_global_norm")
def cl_first_norm(gradients, max_norm):
    """the longest array decides for all"""
    norm = max(float(np.sqrt((np.asarray(g) ** 2).sum())) for g in gradients)
    return [np.asarray(g) * (max_norm / norm if norm > max_norm else 1.0) for g in gradients]


@wrong_answer(step="clip_by_global_norm")
def cl_flat(gradients, max_norm):
    """returns the arrays flattened"""
    norm = math.sqrt(sum(float((np.asarray(g) ** 2).sum()) for g in gradients))
    return [np.ravel(g) * (max_norm / norm if norm > max_norm else 1.0) for g in gradients]


@wrong_answer(step="clip_by_global_norm")
def cl_divides_by_norm(gradients, max_norm):
    """divides by the norm, forgets max_norm"""
    norm = math.sqrt(sum(float((np.asarray(g) ** 2).sum()) for g in gradients))
    return [np.asarray(g) / norm if norm > max_norm else np.array(g) for g in gradients]


@wrong_answer(step="clip_by_global_norm")
def cl_only_long_arrays(gradients, max_norm):
    """global norm, but only arrays that are too long themselves are scaled"""
    norm = math.sqrt(sum(float((np.asarray(g) ** 2).sum()) for g in gradients))
    if norm <= max_norm:
        return [np.array(g) for g in gradients]
    return [
        np.asarray(g) * (max_norm / norm)
        if np.sqrt((np.asarray(g) ** 2).sum()) > max_norm
        else np.array(g)
        for g in gradients
    ]


@wrong_answer(step="clip_by_global_norm")
def cl_abs_sum(gradients, max_norm):
    """the sum of sizes"""
    norm = sum(float(np.abs(g).sum()) for g in gradients)
    return [np.asarray(g) * (max_norm / norm if norm > max_norm else 1.0) for g in gradients]


@wrong_answer(step="clip_by_global_norm")
def cl_rms(gradients, max_norm):
    """root of the mean of squares"""
    flat = np.concatenate([np.ravel(g) for g in gradients])
    norm = math.sqrt((flat**2).mean())
    return [np.asarray(g) * (max_norm / norm if norm > max_norm else 1.0) for g in gradients]


@right_answer(step="clip_by_global_norm")
def cl_hypot(gradients, max_norm):
    norm = math.hypot(*(v for g in gradients for v in np.ravel(g)))
    return [np.asarray(g) * (max_norm / max(norm, max_norm)) for g in gradients]


@right_answer(step="clip_by_global_norm")
def cl_tuple(gradients, max_norm):
    norm = np.linalg.norm(np.concatenate([np.asarray(g).ravel() for g in gradients]))
    return tuple(
        np.array(g, float) if norm <= max_norm else np.array(g, float) / norm * max_norm
        for g in gradients
    )


@right_answer(step="clip_by_global_norm")
def cl_same_list(gradients, max_norm):
    """gives back what came if nothing is to be done; vdot"""
    squares = sum(np.vdot(g, g) for g in gradients)
    if squares <= max_norm**2:
        return gradients
    copies = [np.array(g) for g in gradients]
    for c in copies:
        c *= max_norm / np.sqrt(squares)
    return copies


@wrong_answer(step="adamw_update")
def ad_no_correction(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
    return w - learning_rate * m / (np.sqrt(v) + eps) - learning_rate * weight_decay * w, m, v


@wrong_answer(step="adamw_update")
def ad_returns_corrected(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
    m, v = m / (1 - beta_1**t), v / (1 - beta_2**t)
    return w - learning_rate * m / (np.sqrt(v) + eps) - learning_rate * weight_decay * w, m, v


@wrong_answer(step="adamw_update")
def ad_l2(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    """decay in the gradient: Adam with L2"""
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    g = g + weight_decay * w
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
    return w - learning_rate * (m / (1 - beta_1**t)) / (np.sqrt(v / (1 - beta_2**t)) + eps), m, v


@wrong_answer(step="adamw_update")
def ad_decay_after(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    """decay of the already updated weights"""
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
    w = w - learning_rate * (m / (1 - beta_1**t)) / (np.sqrt(v / (1 - beta_2**t)) + eps)
    return w - learning_rate * weight_decay * w, m, v


@wrong_answer(step="adamw_update")
def ad_decay_without_rate(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
    return (
        w
        - learning_rate * (m / (1 - beta_1**t)) / (np.sqrt(v / (1 - beta_2**t)) + eps)
        - weight_decay * w,
        m,
        v,
    )


@wrong_answer(step="adamw_update")
def ad_eps_inside(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
    return (
        w
        - learning_rate * (m / (1 - beta_1**t)) / np.sqrt(v / (1 - beta_2**t) + eps)
        - learning_rate * weight_decay * w,
        m,
        v,
    )


@wrong_answer(step="adamw_update")
def ad_eps_before_correction(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    """the correction is in the step size, eps meets the uncorrected root (the variant of the paper's note)"""
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
    rate = learning_rate * math.sqrt(1 - beta_2**t) / (1 - beta_1**t)
    return w - rate * m / (np.sqrt(v) + eps) - learning_rate * weight_decay * w, m, v


@wrong_answer(step="adamw_update")
def ad_t_minus_one(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    """t + 1 in the correction, as if t counted from 0"""
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
    t = t + 1
    return (
        w
        - learning_rate * (m / (1 - beta_1**t)) / (np.sqrt(v / (1 - beta_2**t)) + eps)
        - learning_rate * weight_decay * w,
        m,
        v,
    )


@wrong_answer(step="adamw_update")
def ad_beta_times_t(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    """1 - beta without the power"""
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
    return (
        w
        - learning_rate * (m / (1 - beta_1)) / (np.sqrt(v / (1 - beta_2)) + eps)
        - learning_rate * weight_decay * w,
        m,
        v,
    )


@wrong_answer(step="adamw_update")
def ad_betas_swapped(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    """m = (1 - beta) m + beta g"""
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = (1 - beta_1) * m + beta_1 * g, (1 - beta_2) * v + beta_2 * g * g
    return (
        w
        - learning_rate * (m / (1 - beta_1**t)) / (np.sqrt(v / (1 - beta_2**t)) + eps)
        - learning_rate * weight_decay * w,
        m,
        v,
    )


@wrong_answer(step="adamw_update")
def ad_v_of_m(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    """second moment of the first moment"""
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m = beta_1 * m + (1 - beta_1) * g
    v = beta_2 * v + (1 - beta_2) * m**2
    return (
        w
        - learning_rate * (m / (1 - beta_1**t)) / (np.sqrt(v / (1 - beta_2**t)) + eps)
        - learning_rate * weight_decay * w,
        m,
        v,
    )


@wrong_answer(step="adamw_update")
def ad_no_root(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
    return (
        w
        - learning_rate * (m / (1 - beta_1**t)) / (v / (1 - beta_2**t) + eps)
        - learning_rate * weight_decay * w,
        m,
        v,
    )


@wrong_answer(step="adamw_update")
def ad_only_v_corrected(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
    return (
        w
        - learning_rate * m / (np.sqrt(v / (1 - beta_2**t)) + eps)
        - learning_rate * weight_decay * w,
        m,
        v,
    )


@wrong_answer(step="adamw_update")
def ad_plus(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    """uphill"""
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
    return (
        w
        + learning_rate * (m / (1 - beta_1**t)) / (np.sqrt(v / (1 - beta_2**t)) + eps)
        - learning_rate * weight_decay * w,
        m,
        v,
    )


@wrong_answer(step="adamw_update")
def ad_in_place(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    """m *= beta_1 on the argument"""
    w, g, m, v = (np.asarray(a) for a in (w, gradient, m, v))
    m *= beta_1
    m += (1 - beta_1) * g
    v *= beta_2
    v += (1 - beta_2) * g * g
    return (
        w
        - learning_rate * (m / (1 - beta_1**t)) / (np.sqrt(v / (1 - beta_2**t)) + eps)
        - learning_rate * weight_decay * w,
        m,
        v,
    )


@wrong_answer(step="adamw_update")
def ad_constants(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.0
):
    """PyTorch's Adam default: no decay unless told"""
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
    return (
        w
        - learning_rate * (m / (1 - beta_1**t)) / (np.sqrt(v / (1 - beta_2**t)) + eps)
        - learning_rate * weight_decay * w,
        m,
        v,
    )


@wrong_answer(step="adamw_update")
def ad_eps_default(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-6, weight_decay=0.01
):
    """another default of eps"""
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
    return (
        w
        - learning_rate * (m / (1 - beta_1**t)) / (np.sqrt(v / (1 - beta_2**t)) + eps)
        - learning_rate * weight_decay * w,
        m,
        v,
    )


@wrong_answer(step="adamw_update")
def ad_order(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    """m, v, w"""
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
    return (
        m,
        v,
        w
        - learning_rate * (m / (1 - beta_1**t)) / (np.sqrt(v / (1 - beta_2**t)) + eps)
        - learning_rate * weight_decay * w,
    )


@wrong_answer(step="adamw_update")
def ad_old_m(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    """the step uses the gradient itself instead of the first moment"""
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
    return (
        w
        - learning_rate * g / (np.sqrt(v / (1 - beta_2**t)) + eps)
        - learning_rate * weight_decay * w,
        m,
        v,
    )


@wrong_answer(step="adamw_update")
def ad_amsgrad(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    """v never falls"""
    w, g, m, v = (np.asarray(a, float) for a in (w, gradient, m, v))
    m, v = beta_1 * m + (1 - beta_1) * g, np.maximum(v, beta_2 * v + (1 - beta_2) * g * g)
    return (
        w
        - learning_rate * (m / (1 - beta_1**t)) / (np.sqrt(v / (1 - beta_2**t)) + eps)
        - learning_rate * weight_decay * w,
        m,
        v,
    )


@right_answer(step="adamw_update")
def ad_step_size(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    """corrections in the step size, eps scaled with them; decay first, as PyTorch does"""
    w, g, m, v = (np.asarray(a, dtype=float) for a in (w, gradient, m, v))
    m = m + (1 - beta_1) * (g - m)
    v = v + (1 - beta_2) * (g**2 - v)
    root = math.sqrt(1 - beta_2**t)
    new = w * (1 - learning_rate * weight_decay)
    new -= learning_rate * root / (1 - beta_1**t) * m / (np.sqrt(v) + eps * root)
    return [new, m, v]


@right_answer(step="adamw_update")
def ad_numbers(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    shape = np.shape(w)
    rows = []
    for a, g, m_, v_ in zip(*(np.ravel(x).tolist() for x in (w, gradient, m, v))):
        m_ = beta_1 * m_ + (1 - beta_1) * g
        v_ = beta_2 * v_ + (1 - beta_2) * g * g
        step = m_ / (1 - pow(beta_1, t)) / (math.sqrt(v_ / (1 - pow(beta_2, t))) + eps)
        rows.append((a - learning_rate * (step + weight_decay * a), m_, v_))
    return tuple(np.reshape(x, shape) for x in np.array(rows).T)


@right_answer(step="adamw_update")
def ad_on_copies(
    w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01
):
    w, m, v, g = (
        np.array(w, float),
        np.array(m, float),
        np.array(v, float),
        np.asarray(gradient, float),
    )
    m *= beta_1
    m += (1 - beta_1) * g
    v *= beta_2
    v += (1 - beta_2) * np.square(g)
    step = m / (1 - beta_1**t)
    step /= np.sqrt(v / (1 - beta_2**t)) + eps
    step += weight_decay * w
    w -= learning_rate * step
    return w, m, v


@wrong_answer(step="learning_rate")
def lr_from_zero(step, peak, warmup, total, floor=0.0):
    """peak * step / warmup"""
    if step < warmup:
        return peak * step / warmup
    if step >= total:
        return floor
    return floor + (peak - floor) / 2 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


@wrong_answer(step="learning_rate")
def lr_cosine_from_zero(step, peak, warmup, total, floor=0.0):
    """the cosine's clock starts at step 0"""
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total:
        return floor
    return floor + (peak - floor) / 2 * (1 + math.cos(math.pi * step / total))


@wrong_answer(step="learning_rate")
def lr_rises_again(step, peak, warmup, total, floor=0.0):
    """nothing stops the cosine after total"""
    if step < warmup:
        return peak * (step + 1) / warmup
    return floor + (peak - floor) / 2 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


@wrong_answer(step="learning_rate")
def lr_zero_after(step, peak, warmup, total, floor=0.0):
    """after total it is 0"""
    if step < warmup:
        return peak * (step + 1) / warmup
    if step > total:
        return 0.0
    return floor + (peak - floor) / 2 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


@wrong_answer(step="learning_rate")
def lr_linear(step, peak, warmup, total, floor=0.0):
    """a straight line down"""
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total:
        return floor
    return peak + (floor - peak) * (step - warmup) / (total - warmup)


@wrong_answer(step="learning_rate")
def lr_floor_added(step, peak, warmup, total, floor=0.0):
    """starts at peak + floor"""
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total:
        return floor
    return floor + peak / 2 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


@wrong_answer(step="learning_rate")
def lr_max_floor(step, peak, warmup, total, floor=0.0):
    """cosine to 0, cut at the floor"""
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total:
        return floor
    return max(floor, peak / 2 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup))))


@wrong_answer(step="learning_rate")
def lr_warm_up_from_floor(step, peak, warmup, total, floor=0.0):
    """warm-up from the floor"""
    if step < warmup:
        return floor + (peak - floor) * (step + 1) / warmup
    if step >= total:
        return floor
    return floor + (peak - floor) / 2 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


@wrong_answer(step="learning_rate")
def lr_warm_up_at_least_floor(step, peak, warmup, total, floor=0.0):
    """never below the floor, not even in the warm-up"""
    if step < warmup:
        return max(floor, peak * (step + 1) / warmup)
    if step >= total:
        return floor
    return floor + (peak - floor) / 2 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


@wrong_answer(step="learning_rate")
def lr_off_by_one_cosine(step, peak, warmup, total, floor=0.0):
    """the cosine has one step less: floor at total - 1"""
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total - 1 and step > warmup:
        return floor
    return floor + (peak - floor) / 2 * (
        1 + math.cos(math.pi * (step - warmup) / max(1, total - 1 - warmup))
    )


@wrong_answer(step="learning_rate")
def lr_step_plus_one_cosine(step, peak, warmup, total, floor=0.0):
    """step + 1 in the cosine as well"""
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total:
        return floor
    return floor + (peak - floor) / 2 * (
        1 + math.cos(math.pi * (step + 1 - warmup) / (total - warmup))
    )


@wrong_answer(step="learning_rate")
def lr_quarter_cosine(step, peak, warmup, total, floor=0.0):
    """cos from 1 to 0: a quarter"""
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total:
        return floor
    return floor + (peak - floor) * math.cos(math.pi / 2 * (step - warmup) / (total - warmup))


@wrong_answer(step="learning_rate")
def lr_total_after_warmup(step, peak, warmup, total, floor=0.0):
    """total counts after the warm-up"""
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total + warmup:
        return floor
    return floor + (peak - floor) / 2 * (1 + math.cos(math.pi * (step - warmup) / total))


@wrong_answer(step="learning_rate")
def lr_int_division(step, peak, warmup, total, floor=0.0):
    """whole-number percent"""
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total:
        return floor
    share = (step - warmup) * 100 // (total - warmup) / 100
    return floor + (peak - floor) / 2 * (1 + math.cos(math.pi * share))


@wrong_answer(step="learning_rate")
def lr_min_warm_up_cosine(step, peak, warmup, total, floor=0.0):
    """warm-up times cosine"""
    up = min(1.0, (step + 1) / max(1, warmup))
    x = min(1.0, step / total)
    return up * (floor + (peak - floor) / 2 * (1 + math.cos(math.pi * x)))


@right_answer(step="learning_rate")
def lr_square_of_cosine(step, peak, warmup, total, floor=0.0):
    if step < warmup:
        return np.float32(peak / warmup * (1 + step))
    x = np.clip((step - warmup) / (total - warmup), 0, 1)
    return np.array(floor + (peak - floor) * np.cos(np.pi * x / 2) ** 2)


@right_answer(step="learning_rate")
def lr_interp(step, peak, warmup, total, floor=0.0):
    up = np.interp(step + 1, [0, max(warmup, 1)], [0.0, peak])
    angle = np.interp(step, [warmup, total], [0.0, math.pi])
    down = (peak + floor) / 2 + (peak - floor) / 2 * math.cos(angle)
    return float(up if step < warmup else down)


@wrong_answer(step="next_token_probabilities")
def nt_temperature_after(logits, temperature=1.0, top_k=None, top_p=None):
    """temperature as an exponent after the cut"""
    z = np.asarray(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p /= p.sum()
    if top_p is not None:
        n = np.searchsorted(np.cumsum(p[order]), top_p - 1e-12) + 1
        p[order[n:]] = 0
        p /= p.sum()
    p = p ** (1 / temperature)
    return p / p.sum()


@wrong_answer(step="next_token_probabilities")
def nt_multiplies(logits, temperature=1.0, top_k=None, top_p=None):
    """logits times temperature"""
    z = np.asarray(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    z = z * temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p /= p.sum()
    if top_p is not None:
        n = np.searchsorted(np.cumsum(p[order]), top_p - 1e-12) + 1
        p[order[n:]] = 0
        p /= p.sum()
    return p


@wrong_answer(step="next_token_probabilities")
def nt_threshold_ties(logits, temperature=1.0, top_k=None, top_p=None):
    """top_k by a threshold: keeps all that are equal to the k-th"""
    z = np.asarray(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    z = z / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    if top_k is not None:
        p = np.where(z >= np.sort(z)[-top_k], p, 0)
        p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_p is not None:
        n = np.searchsorted(np.cumsum(p[order]), top_p - 1e-12) + 1
        p[order[n:]] = 0
        p /= p.sum()
    return p


@wrong_answer(step="next_token_probabilities")
def nt_reversed_argsort(logits, temperature=1.0, top_k=None, top_p=None):
    """argsort()[::-1]: among equals the higher index"""
    z = np.asarray(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    z = z / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(p, kind="stable")[::-1]
    if top_k is not None:
        p[order[top_k:]] = 0
        p /= p.sum()
    if top_p is not None:
        n = np.searchsorted(np.cumsum(p[order]), top_p - 1e-12) + 1
        p[order[n:]] = 0
        p /= p.sum()
    return p


@wrong_answer(step="next_token_probabilities")
def nt_zero_shared(logits, temperature=1.0, top_k=None, top_p=None):
    """temperature 0: the largest share"""
    z = np.asarray(logits, float)
    if temperature == 0:
        best = (z == z.max()).astype(float)
        return best / best.sum()
    z = z / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p /= p.sum()
    if top_p is not None:
        n = np.searchsorted(np.cumsum(p[order]), top_p - 1e-12) + 1
        p[order[n:]] = 0
        p /= p.sum()
    return p


@wrong_answer(step="next_token_probabilities")
def nt_zero_small(logits, temperature=1.0, top_k=None, top_p=None):
    """temperature 0 as 1e-8"""
    z = np.asarray(logits, float) / max(temperature, 1e-8)
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p /= p.sum()
    if top_p is not None:
        n = np.searchsorted(np.cumsum(p[order]), top_p - 1e-12) + 1
        p[order[n:]] = 0
        p /= p.sum()
    return p


@wrong_answer(step="next_token_probabilities")
def nt_drops_crossing(logits, temperature=1.0, top_k=None, top_p=None):
    """keeps while the sum is at most top_p, the first one always"""
    z = np.asarray(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    z = z / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p /= p.sum()
    if top_p is not None:
        keep = np.cumsum(p[order]) <= top_p + 1e-12
        keep[0] = True
        p[order[~keep]] = 0
        p /= p.sum()
    return p


@wrong_answer(step="next_token_probabilities")
def nt_one_too_many(logits, temperature=1.0, top_k=None, top_p=None):
    """keeps one more where the sum hits top_p exactly"""
    z = np.asarray(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    z = z / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p /= p.sum()
    if top_p is not None:
        keep = np.cumsum(p[order]) - p[order] <= top_p
        p[order[~keep]] = 0
        p /= p.sum()
    return p


@wrong_answer(step="next_token_probabilities")
def nt_p_before_k(logits, temperature=1.0, top_k=None, top_p=None):
    """top_p first, then top_k"""
    z = np.asarray(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    z = z / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_p is not None:
        n = np.searchsorted(np.cumsum(p[order]), top_p - 1e-12) + 1
        p[order[n:]] = 0
        p /= p.sum()
    if top_k is not None:
        p[order[top_k:]] = 0
        p /= p.sum()
    return p


@wrong_answer(step="next_token_probabilities")
def nt_p_not_renormalised_between(logits, temperature=1.0, top_k=None, top_p=None):
    """top_p looks at shares of all"""
    z = np.asarray(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    z = z / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
    if top_p is not None:
        n = np.searchsorted(np.cumsum(p[order]), top_p - 1e-12) + 1
        p[order[n:]] = 0
    return p / p.sum()


@wrong_answer(step="next_token_probabilities")
def nt_not_renormalised_at_end(logits, temperature=1.0, top_k=None, top_p=None):
    z = np.asarray(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    z = z / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p /= p.sum()
    if top_p is not None:
        n = np.searchsorted(np.cumsum(p[order]), top_p - 1e-12) + 1
        p[order[n:]] = 0
    return p


@wrong_answer(step="next_token_probabilities")
def nt_sorted_answer(logits, temperature=1.0, top_k=None, top_p=None):
    """forgets to bring the probabilities back into the order of the vocabulary"""
    z = np.asarray(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    z = np.sort(z / temperature)[::-1]
    p = np.exp(z - z.max())
    p /= p.sum()
    if top_k is not None:
        p[top_k:] = 0
        p /= p.sum()
    if top_p is not None:
        n = np.searchsorted(np.cumsum(p), top_p - 1e-12) + 1
        p[n:] = 0
        p /= p.sum()
    return p


@wrong_answer(step="next_token_probabilities")
def nt_min_p(logits, temperature=1.0, top_k=None, top_p=None):
    """top_p as a threshold on each probability (min-p)"""
    z = np.asarray(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    z = z / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p /= p.sum()
    if top_p is not None:
        keep = p >= 1 - top_p
        keep[p.argmax()] = True
        p = np.where(keep, p, 0)
        p /= p.sum()
    return p


@wrong_answer(step="next_token_probabilities")
def nt_minus_zero(logits, temperature=1.0, top_k=None, top_p=None):
    """cut logits get 0 instead of -inf"""
    z = np.array(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    z = z / temperature
    if top_k is not None:
        z[np.argsort(-z, kind="stable")[top_k:]] = 0.0
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_p is not None:
        n = np.searchsorted(np.cumsum(p[order]), top_p - 1e-12) + 1
        p[order[n:]] = 0
        p /= p.sum()
    return p


@wrong_answer(step="next_token_probabilities")
def nt_in_place(logits, temperature=1.0, top_k=None, top_p=None):
    """divides the argument in place"""
    z = np.asarray(logits)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    z -= z.max()
    p = np.exp(z / temperature)
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p /= p.sum()
    if top_p is not None:
        n = np.searchsorted(np.cumsum(p[order]), top_p - 1e-12) + 1
        p[order[n:]] = 0
        p /= p.sum()
    return p


@wrong_answer(step="next_token_probabilities")
def nt_zero_ignores_last(logits, temperature=1.0, top_k=None, top_p=None):
    """temperature 0: the last of the largest"""
    z = np.asarray(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[len(z) - 1 - z[::-1].argmax()] = 1.0
        return out
    z = z / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p /= p.sum()
    if top_p is not None:
        n = np.searchsorted(np.cumsum(p[order]), top_p - 1e-12) + 1
        p[order[n:]] = 0
        p /= p.sum()
    return p


@wrong_answer(step="next_token_probabilities")
def nt_falsy(logits, temperature=1.0, top_k=None, top_p=None):
    """top_k of 1 taken for 'off' (if top_k > 1), top_p of 1 drops nothing"""
    z = np.asarray(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    z = z / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_k is not None and top_k > 1:
        p[order[top_k:]] = 0
        p /= p.sum()
    if top_p is not None and top_p < 1:
        n = np.searchsorted(np.cumsum(p[order]), top_p - 1e-12) + 1
        p[order[n:]] = 0
        p /= p.sum()
    return p


@wrong_answer(step="next_token_probabilities")
def nt_overflow(logits, temperature=1.0, top_k=None, top_p=None):
    """no maximum subtracted, nan_to_num afterwards"""
    z = np.asarray(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    p = np.exp(np.minimum(z / temperature, 700))
    p = np.nan_to_num(p / max(p.sum(), 1e-300))
    order = np.argsort(-p, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p /= p.sum()
    if top_p is not None:
        n = np.searchsorted(np.cumsum(p[order]), top_p - 1e-12) + 1
        p[order[n:]] = 0
        p /= p.sum()
    return p


@wrong_answer(step="next_token_probabilities")
def nt_either_or(logits, temperature=1.0, top_k=None, top_p=None):
    """elif: top_p only without top_k"""
    z = np.asarray(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    z = z / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p /= p.sum()
    elif top_p is not None:
        n = np.searchsorted(np.cumsum(p[order]), top_p - 1e-12) + 1
        p[order[n:]] = 0
        p /= p.sum()
    return p


@wrong_answer(step="next_token_probabilities")
def nt_p_of_one_drops(logits, temperature=1.0, top_k=None, top_p=None):
    """without a safety margin at top_p = 1 a token that adds next to nothing is fine, but the strict < drops the last"""
    z = np.asarray(logits, float)
    if temperature == 0:
        out = np.zeros(len(z))
        out[z.argmax()] = 1.0
        return out
    z = z / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p /= p.sum()
    if top_p is not None:
        keep = np.cumsum(p[order]) < top_p
        keep[:1] = True
        p[order[~keep]] = 0
        p /= p.sum()
    return p


@right_answer(step="next_token_probabilities")
def nt_minus_infinity(logits, temperature=1.0, top_k=None, top_p=None):
    z = np.array(logits, dtype=float)
    best = int(np.argmax(z))
    if temperature == 0:
        return np.eye(len(z))[best]
    with np.errstate(divide="ignore"):
        z = (z - z[best]) / temperature
        ranked = sorted(range(len(z)), key=lambda i: (-z[i], i))
        for i in ranked[top_k:] if top_k is not None else []:
            z[i] = -np.inf
        p = np.exp(z)
        p = p / p.sum()
        if top_p is not None:
            total, left = 0.0, set(range(len(z)))
            for i in ranked:
                left.discard(i)
                total += p[i]
                if total >= top_p:
                    break
            for i in left:
                z[i] = -np.inf
            p = np.exp(z)
            p = p / p.sum()
    return p


@right_answer(step="next_token_probabilities")
def nt_lexsort_list(logits, temperature=1.0, top_k=None, top_p=None):
    z = np.asarray(logits, float)
    n = len(z)
    order = np.lexsort((np.arange(n), -z))
    kept = 1 if temperature == 0 else top_k or n
    order = order[:kept]
    p = np.exp((z[order] - z[order[0]]) / (temperature or 1.0))
    p /= p.sum()
    if top_p is not None:
        before = np.concatenate([[0.0], np.cumsum(p)[:-1]])
        p = np.where(before < top_p, p, 0.0)
        p /= p.sum()
    out = [0.0] * n
    for i, share in zip(order, p):
        out[i] = float(share)
    return out


@right_answer(step="next_token_probabilities")
def nt_float32(logits, temperature=1.0, top_k=None, top_p=None):
    """greedy one by one with argmax"""
    z = np.array(logits, float)
    out = np.zeros(len(z))
    if temperature == 0:
        out[np.argmax(z)] = 1
        return out.astype(np.float32)
    p = np.exp((z - z.max()) / temperature)
    p /= p.sum()
    for number, enough in ((top_k, None), (None, top_p)):
        if number is None and enough is None:
            continue
        left, out = p.copy(), np.zeros(len(z))
        while True:
            i = int(np.argmax(left))
            out[i] = p[i]
            left[i] = -1.0
            if (
                left.max() < 0
                or (number and np.sum(left < 0) >= number)
                or (enough and out.sum() >= enough)
            ):
                break
        p = out / out.sum()
    return p.astype(np.float32)
