# %%
# I like my tools in one place.
import functools, operator
from collections import namedtuple
from dataclasses import dataclass

Projections = namedtuple("Projections", "queries keys values")

def along(axis):
    """A decorator: the function sees the chosen axis as the last one."""
    def wrap(function):
        @functools.wraps(function)
        def call(array, *rest):
            return np.moveaxis(function(np.moveaxis(array, axis, -1), *rest), -1, axis)
        return call
    return wrap

# %%
project_qkv = lambda X, *Ws: Projections(*(np.einsum("...nd,dk->...nk", X, W) for W in Ws))

# %%
def attention_scores(Q, K):
    return (Q[..., :, None, :] * K[..., None, :, :]).sum(-1).tolist()

# %%
scale_scores = lambda scores, d_k: np.multiply(scores, d_k ** -0.5)

# %%
def softmax(scores, axis=-1):
    @along(axis)
    def shares(s):
        shifted = s - np.nanmax(np.where(np.isneginf(s), -1e300, s), axis=-1)[..., None]
        powers = np.exp(np.clip(shifted, -800, 0)) * ~np.isneginf(s)
        return powers / np.maximum(powers.sum(-1, keepdims=True), np.finfo(float).tiny)
    return shares(np.array(scores, dtype=float))

# %%
weighted_sum = functools.partial(np.einsum, "...qk,...kv->...qv")

# %%
class CausalMask:
    """Callable, and proud of it."""
    def __call__(self, n_queries, n_keys=None):
        n_keys = n_queries if n_keys is None else n_keys
        return [[int(n_keys - j >= n_queries - i) for j in range(n_keys)] for i in range(n_queries)]

causal_mask = CausalMask()

# %%
def padding_mask(lengths, n_keys):
    mask = np.zeros((len(lengths), 1, n_keys), dtype=np.int8)
    for row, length in zip(mask, lengths):
        row[:, :length] = 1
    return mask

# %%
def apply_mask(scores, mask):
    hidden = np.broadcast_to(np.logical_not(mask), np.shape(scores))
    masked = np.array(scores, dtype=float)
    masked[hidden] = float("-inf")
    return masked

# %%
@dataclass
class Attention:
    mask: object = None
    def __call__(self, Q, K, V):
        steps = [lambda s: scale_scores(s, K.shape[-1])]
        if self.mask is not None:
            steps.append(lambda s: apply_mask(s, self.mask))
        weights = functools.reduce(lambda s, step: step(s), [*steps, softmax], attention_scores(Q, K))
        return [weighted_sum(weights, V), weights]

def scaled_dot_product_attention(Q, K, V, mask=None):
    return Attention(mask)(Q, K, V)

# %%
def self_attention(X, W_Q, W_K, W_V, mask=None):
    return scaled_dot_product_attention(*project_qkv(X, W_Q, W_K, W_V), mask=mask)

# %%
def split_heads(X, num_heads):
    return np.stack(np.split(X, num_heads, axis=-1), axis=-3)  # split itself refuses what does not divide

# %%
def concat_heads(heads):
    return np.concatenate(list(np.moveaxis(heads, -3, 0)), axis=-1)

# %%
def multi_head_attention(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    head = operator.itemgetter(0)
    if (m := mask) is not None and np.ndim(m) > 2:
        m = np.array(m)[..., None, :, :]
    split = (split_heads(part, num_heads) for part in project_qkv(X, W_Q, W_K, W_V))
    return np.einsum("...nd,de->...ne", concat_heads(head(scaled_dot_product_attention(*split, m))), W_O)
