"""Right answers to training in styles that few people choose. None of them may lose a point, with any key.

An entry stands by itself, as if handed in: it uses `np`, `math`, and the steps before it, which are right.
`autograder prove training` tries them all, and besides them every solution in other clothes: nested lists, float32,
Fortran order, read-only views, objects that are called.
"""

import math

import numpy as np

from autograder.exercises.right_answers import right_answer


# 1. cross_entropy


@right_answer(step="cross_entropy")
def cross_entropy_row_by_row(logits, targets, ignore=-1):
    prices = []
    for row, target in zip(logits.reshape(-1, logits.shape[-1]), targets.ravel()):
        if target != ignore:
            row = row - max(row)
            prices.append(math.log(sum(math.exp(score) for score in row)) - row[target])
    return sum(prices) / len(prices) if prices else 0


@right_answer(step="cross_entropy")
def cross_entropy_with_logaddexp(logits, targets, ignore=-1):
    """logaddexp.reduce is the stable logarithm of the sum; only the kept rows are looked at."""
    kept = targets != ignore
    if not kept.any():
        return np.array(0.0)
    rows = logits[kept]
    chosen = np.take_along_axis(rows, targets[kept][:, None], axis=-1)[:, 0]
    return np.mean(np.logaddexp.reduce(rows, axis=-1) - chosen)


@right_answer(step="cross_entropy")
def cross_entropy_with_a_mask_of_weights(logits, targets, ignore=-1):
    weights = (targets != ignore).astype(float)
    safe = np.where(targets == ignore, 0, targets)
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_shares = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    picked = np.take_along_axis(log_shares, safe[..., None], axis=-1)[..., 0]
    return -(weights * picked).sum() / max(1.0, weights.sum())


@right_answer(step="cross_entropy")
def cross_entropy_with_one_hot_rows(logits, targets, ignore=-1):
    hot = (targets[..., None] == np.arange(logits.shape[-1])) & (targets != ignore)[..., None]
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_shares = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return float(-log_shares[hot].sum() / hot.sum()) if hot.any() else 0.0


@right_answer(step="cross_entropy")
def cross_entropy_by_distances_to_the_target(logits, targets, ignore=-1):
    """Only the gaps to the target's score matter, so that score is subtracted first."""
    total, count = 0.0, 0
    for place in np.ndindex(targets.shape):
        if targets[place] == ignore:
            continue
        gaps = logits[place] - logits[place][targets[place]]
        top = max(gaps.max(), 0.0)
        total, count = total + top + np.log(np.exp(gaps - top).sum()), count + 1
    return total / count if count else total


# 2. cross_entropy_backward


@right_answer(step="cross_entropy_backward")
def cross_entropy_backward_with_one_hot_rows(logits, targets, ignore=-1):
    """Softmax minus one-hot rows; ignored targets get a weight of 0."""
    hot = np.equal.outer(targets, np.arange(logits.shape[-1])).astype(float)
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    weights = (targets != ignore)[..., None] / max(1, np.sum(targets != ignore))
    return weights * (powers / powers.sum(-1, keepdims=True) - hot)


@right_answer(step="cross_entropy_backward")
def cross_entropy_backward_row_by_row(logits, targets, ignore=-1):
    """One row at a time, in a loop."""
    d_logits = np.zeros(logits.shape)
    count = int((targets != ignore).sum())
    for place in np.ndindex(targets.shape):
        if targets[place] != ignore:
            powers = np.exp(logits[place] - max(logits[place]))
            d_logits[place] = powers / sum(powers) / count
            d_logits[place][targets[place]] -= 1 / count
    return d_logits


@right_answer(step="cross_entropy_backward")
def cross_entropy_backward_flattened(logits, targets, ignore=-1):
    rows, flat = logits.reshape(-1, logits.shape[-1]), targets.reshape(-1)
    kept = np.flatnonzero(flat != ignore)
    d_rows = np.zeros(rows.shape)
    if kept.size:
        log_sums = np.logaddexp.reduce(rows[kept], axis=1, keepdims=True)
        d_rows[kept] = np.exp(rows[kept] - log_sums)
        d_rows[kept, flat[kept]] -= 1
        d_rows /= kept.size
    return d_rows.reshape(logits.shape)


# 3. linear_backward


@right_answer(step="linear_backward")
def linear_backward_with_einsum(d_output, x, W):
    d_x = np.einsum("...o,io->...i", d_output, W)
    return d_x, np.einsum("ti,to->io", x.reshape(-1, len(W)), d_output.reshape(-1, len(W.T))), np.einsum("to->o", d_output.reshape(-1, len(W.T)))


@right_answer(step="linear_backward")
def linear_backward_token_by_token(d_output, x, W):
    d_W, d_b = np.zeros(W.shape), np.zeros(W.shape[1])
    for place in np.ndindex(x.shape[:-1]):
        d_W += np.outer(x[place], d_output[place])
        d_b += d_output[place]
    return [np.inner(d_output, W), d_W, d_b]


@right_answer(step="linear_backward")
def linear_backward_with_a_bias_row(d_output, x, W):
    """The bias is one more row of W whose input is always 1."""
    rows = np.atleast_2d(x.reshape(-1, x.shape[-1]))
    extended = np.hstack([rows, np.ones((len(rows), 1))])
    both = extended.T @ d_output.reshape(len(rows), -1)
    return np.matmul(d_output, W.transpose()), both[:-1], both[-1]


@right_answer(step="linear_backward")
def linear_backward_with_tensordot(d_output, x, W):
    """tensordot sums over all leading axes at once, without a reshape."""
    axes = list(range(x.ndim - 1))
    return np.tensordot(d_output, W, axes=(-1, 1)), np.tensordot(x, d_output, axes=(axes, axes)), d_output.sum(tuple(axes))


# 4. layer_norm_backward


@right_answer(step="layer_norm_backward")
def layer_norm_backward_with_the_whole_table(d_output, x, gamma, eps=1e-5):
    """It builds the whole Jacobian of a token and multiplies by it."""
    n = x.shape[-1]
    centred = x - x.mean(axis=-1, keepdims=True)
    root = np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    normed = centred / root
    table = (np.eye(n) - 1 / n - normed[..., :, None] * normed[..., None, :] / n) / root[..., None]
    axes = tuple(range(x.ndim - 1))
    return np.einsum("...ij,...j->...i", table, d_output * gamma), np.sum(d_output * normed, axis=axes), np.sum(d_output, axis=axes)


@right_answer(step="layer_norm_backward")
def layer_norm_backward_in_three_ways(d_output, x, gamma, eps=1e-5):
    """x acts in three ways: directly, through the mean, and through the variance."""
    n = x.shape[-1]
    centred = x - x.mean(axis=-1, keepdims=True)
    inverse = (x.var(axis=-1, keepdims=True) + eps) ** -0.5
    pushed = d_output * gamma
    d_variance = np.sum(pushed * centred, axis=-1, keepdims=True) * -0.5 * inverse**3
    d_mean = -inverse * pushed.sum(axis=-1, keepdims=True)
    d_x = pushed * inverse + d_variance * 2 * centred / n + d_mean / n
    flat, normed = d_output.reshape(-1, n), (centred * inverse).reshape(-1, n)
    return d_x, np.einsum("td,td->d", flat, normed), flat.sum(0)


@right_answer(step="layer_norm_backward")
def layer_norm_backward_as_in_libraries(d_output, x, gamma, eps=1e-5):
    n = np.float64(x.shape[-1])
    inverse = 1 / np.sqrt(np.var(x, axis=-1, keepdims=True) + eps)
    normed = (x - np.mean(x, axis=-1, keepdims=True)) * inverse
    g = d_output * gamma
    d_x = inverse / n * (n * g - g.sum(-1, keepdims=True) - normed * (g * normed).sum(-1, keepdims=True))
    return d_x, (d_output * normed).reshape(-1, len(gamma)).sum(axis=0), d_output.reshape(-1, len(gamma)).sum(axis=0)


@right_answer(step="layer_norm_backward")
def layer_norm_backward_token_by_token(d_output, x, gamma, eps=1e-5):
    d_x, d_gamma, d_beta = np.empty(x.shape), 0.0 * gamma, 0.0 * gamma
    for place in np.ndindex(*x.shape[:-1]):
        token, behind = x[place], d_output[place]
        root = math.sqrt(np.var(token) + eps)
        normed = (token - np.mean(token)) / root
        push = gamma * behind
        d_x[place] = (push - np.mean(push) - normed * np.mean(push * normed)) / root
        d_gamma, d_beta = d_gamma + behind * normed, d_beta + behind
    return d_x, d_gamma, d_beta


# 5. gelu_backward


@right_answer(step="gelu_backward")
def gelu_backward_with_erfc(d_output, x):
    """erfc stays exact far on the left, where 1 + erf loses digits."""
    below = np.vectorize(lambda number: math.erfc(-number / math.sqrt(2)) / 2)(x)
    return d_output * below + d_output * x * np.exp(-np.square(x) / 2) / np.sqrt(2 * np.pi)


@right_answer(step="gelu_backward")
def gelu_backward_number_by_number(d_output, x):
    result = np.zeros(x.shape)
    for place, number in np.ndenumerate(x):
        share = (1 + math.erf(number / 2**0.5)) / 2
        result[place] = d_output[place] * (share + number * math.exp(-(number**2) / 2) / math.sqrt(math.tau))
    return result


@right_answer(step="gelu_backward")
def gelu_backward_with_the_normal_distribution(d_output, x):
    """The slope is the normal distribution plus x times its density."""
    from statistics import NormalDist

    bell = NormalDist()
    slopes = [bell.cdf(number) + number * bell.pdf(number) for number in x.ravel().tolist()]
    return d_output * np.reshape(slopes, x.shape)


@right_answer(step="gelu_backward")
def gelu_backward_with_plain_lists(d_output, x):
    if np.ndim(x) == 0:
        return float(d_output) * (0.5 + 0.5 * math.erf(x / math.sqrt(2)) + x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi))
    return [gelu_backward_with_plain_lists(d, number) for d, number in zip(d_output, x)]


# 6. embedding_backward


@right_answer(step="embedding_backward")
def embedding_backward_with_one_hot_rows(d_output, tokens, vocabulary_size):
    """Looking up a row is a product with one-hot rows, so its gradient is one, too."""
    hot = np.eye(vocabulary_size)[tokens].reshape(-1, vocabulary_size)
    return hot.T @ d_output.reshape(-1, d_output.shape[-1])


@right_answer(step="embedding_backward")
def embedding_backward_row_by_row(d_output, tokens, vocabulary_size):
    return np.array([d_output[tokens == token].sum(axis=0) for token in range(vocabulary_size)])


@right_answer(step="embedding_backward")
def embedding_backward_with_bincount(d_output, tokens, vocabulary_size):
    """bincount adds up each column, with the gradient as weights."""
    flat = np.ravel(tokens)
    columns = [np.bincount(flat, column, vocabulary_size) for column in d_output.reshape(flat.size, -1).T]
    return np.stack(columns, axis=1)


@right_answer(step="embedding_backward")
def embedding_backward_in_a_loop(d_output, tokens, vocabulary_size):
    table = np.zeros((vocabulary_size, d_output.shape[-1]))
    for token, behind in zip(tokens.flat, d_output.reshape(-1, d_output.shape[-1])):
        table[token] += behind
    return table


# 7. clip_by_global_norm


@right_answer(step="clip_by_global_norm")
def clip_by_norms_of_norms(gradients, max_norm):
    """The norm of the norms is the norm of everything; max avoids the if."""
    norm = np.linalg.norm([np.linalg.norm(array) for array in gradients])
    return [array * (max_norm / max(norm, max_norm)) for array in gradients]


@right_answer(step="clip_by_global_norm")
def clip_by_one_long_row(gradients, max_norm):
    """All arrays become one long row, whose norm is a dot product."""
    row = np.concatenate([array.ravel() for array in gradients])
    norm = np.sqrt(row @ row)
    if norm <= max_norm:
        return list(gradients)
    return [array / norm * max_norm for array in gradients]


@right_answer(step="clip_by_global_norm")
def clip_with_hypot(gradients, max_norm):
    norm = math.hypot(*(number for array in gradients for number in array.ravel()))
    return tuple(array.copy() if norm <= max_norm else array * max_norm / norm for array in gradients)


@right_answer(step="clip_by_global_norm")
def clip_one_after_the_other(gradients, max_norm):
    squares = sum((array * array).sum() for array in gradients)
    clipped = []
    for array in gradients:
        clipped.append(array if squares <= max_norm**2 else array * (max_norm / squares**0.5))
    return clipped


# 8. adamw_update


@right_answer(step="adamw_update")
def adamw_with_a_corrected_rate(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """The corrections are moved into the learning rate, and eps is scaled to match."""
    m = m + (1 - beta_1) * (gradient - m)
    v = v + (1 - beta_2) * (gradient * gradient - v)
    root = math.sqrt(1 - beta_2**t)
    size = learning_rate * root / (1 - beta_1**t)
    return w - size * m / (np.sqrt(v) + eps * root) - learning_rate * weight_decay * w, m, v


@right_answer(step="adamw_update")
def adamw_with_decay_first(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """The weights shrink first, by a factor; the step comes after that."""
    shrunk = w * (1 - learning_rate * weight_decay)
    new_m = beta_1 * m + (1.0 - beta_1) * gradient
    new_v = beta_2 * v + (1.0 - beta_2) * np.square(gradient)
    m_hat, v_hat = new_m / (1.0 - math.pow(beta_1, t)), new_v / (1.0 - math.pow(beta_2, t))
    return shrunk - learning_rate * m_hat / (v_hat**0.5 + eps), new_m, new_v


@right_answer(step="adamw_update")
def adamw_in_copies(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    w, m, v = w.copy(), m.copy(), v.copy()
    m *= beta_1
    m += (1 - beta_1) * gradient
    v *= beta_2
    v += (1 - beta_2) * gradient**2
    decay = learning_rate * weight_decay * w
    w -= learning_rate * (m / (1 - beta_1**t)) / (np.sqrt(v / (1 - beta_2**t)) + eps)
    w -= decay
    return [w, m, v]


# 9. learning_rate


@right_answer(step="learning_rate")
def learning_rate_with_interp(step, peak, warmup, total, floor=0.0):
    """np.interp draws the straight lines, and stays at the last value by itself."""
    if step < warmup:
        return np.interp(step + 1, [0, warmup], [0.0, peak])
    angle = np.interp(step, [warmup, total], [0.0, np.pi])
    return floor + 0.5 * (peak - floor) * (1 + np.cos(angle))


@right_answer(step="learning_rate")
def learning_rate_with_a_squared_cosine(step, peak, warmup, total, floor=0.0):
    """Half of 1 + cos is the squared cosine of half the angle."""
    if step >= total:
        return floor
    if step < warmup:
        return (step + 1) * (peak / warmup)
    share = math.cos((step - warmup) / (total - warmup) * math.pi / 2) ** 2
    return share * peak + (1 - share) * floor


@right_answer(step="learning_rate")
def learning_rate_as_an_array(step, peak, warmup, total, floor=0.0):
    step = np.asarray(step, dtype=float)
    rising = peak * (step + 1) / max(warmup, 1)
    angle = np.pi * np.clip((step - warmup) / (total - warmup), 0, 1)
    return np.where(step < warmup, rising, floor + (peak - floor) * (1 + np.cos(angle)) / 2)


# 10. next_token_probabilities


@right_answer(step="next_token_probabilities")
def next_token_by_infinite_logits(logits, temperature=1.0, top_k=None, top_p=None):
    """What is cut off gets -inf before the softmax, so its probability is exactly 0."""
    if temperature == 0:
        return np.eye(len(logits))[np.argmax(logits)]
    scaled = logits / temperature
    order = np.argsort(-scaled, kind="stable")
    if top_k is not None:
        scaled[order[top_k:]] = -np.inf
    powers = np.exp(scaled - scaled.max())
    shares = powers / powers.sum()
    if top_p is not None:
        before = np.cumsum(shares[order]) - shares[order]
        shares[order[before >= top_p]] = 0
        shares = shares / shares.sum()
    return shares


@right_answer(step="next_token_probabilities")
def next_token_in_plain_python(logits, temperature=1.0, top_k=None, top_p=None):
    numbers = [float(score) for score in logits]
    order = sorted(range(len(numbers)), key=lambda i: -numbers[i])
    if not temperature:
        return [1.0 if i == order[0] else 0.0 for i in range(len(numbers))]
    powers = [math.exp((score - numbers[order[0]]) / temperature) for score in numbers]
    kept = order[: top_k or len(order)]
    if top_p is not None:
        whole, reached, nucleus = sum(powers[i] for i in kept), 0.0, []
        for i in kept:
            nucleus.append(i)
            reached += powers[i]
            if reached >= top_p * whole:
                break
        kept = nucleus
    whole = sum(powers[i] for i in kept)
    return [powers[i] / whole if i in kept else 0.0 for i in range(len(numbers))]


@right_answer(step="next_token_probabilities")
def next_token_with_lexsort(logits, temperature=1.0, top_k=None, top_p=None):
    n = len(logits)
    order = np.lexsort((np.arange(n), -logits))
    if temperature == 0:
        temperature, top_k, top_p = 1.0, 1, None
    powers = np.exp((logits[order] - logits.max()) / temperature)
    powers[top_k or n :] = 0.0
    powers /= powers.sum()
    if top_p is not None:
        last = int(np.argmax(np.append(np.cumsum(powers)[:-1], np.inf) >= top_p))
        powers[last + 1 :] = 0.0
    result = np.empty(n)
    result[order] = powers / powers.sum()
    return result


@right_answer(step="next_token_probabilities")
def next_token_by_ranks(logits, temperature=1.0, top_k=None, top_p=None):
    """No sorting: the rank of each token is the number of tokens ahead of it."""
    ahead = (logits[None, :] > logits[:, None]) | ((logits[None, :] == logits[:, None]) & np.tri(len(logits), k=-1, dtype=bool))
    ranks = ahead.sum(axis=1)
    if temperature == 0:
        return (ranks == 0).astype(float)
    shares = np.exp(logits / temperature - np.max(logits / temperature))
    shares = np.where(ranks < (len(logits) if top_k is None else top_k), shares, 0.0)
    shares = shares / shares.sum()
    if top_p is not None:
        shares = np.where((ahead * shares).sum(axis=1) < top_p, shares, 0.0)
        shares = shares / shares.sum()
    return shares
