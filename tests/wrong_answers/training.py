"""Wrong answers to `training`, which its bank does not have, as in `attention`."""


@wrong_answer(step="gelu_backward", named="parentheses")
def root_of_two_alone(d_output, x):
    """Pi is not under the root."""
    share = (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2
    return d_output * (share + x * np.exp(-(x**2) / 2) / (np.sqrt(2) * np.pi))


@wrong_answer(step="next_token_probabilities", named="tiny_for_zero")
def a_little_added_to_the_temperature(logits, temperature=1.0, top_k=None, top_p=None):
    """Equal tokens share the whole at temperature 0."""
    chances = softmax(np.asarray(logits) / (temperature + 1e-8))
    order = np.argsort(-chances, kind="stable")
    if top_k:
        chances[order[top_k:]] = 0
        chances = chances / chances.sum()
    if top_p:
        kept = int((np.cumsum(chances[order]) < top_p - 1e-9).sum()) + 1
        chances[order[kept:]] = 0
        chances = chances / chances.sum()
    return chances


@wrong_answer(step="cross_entropy_backward", named="parentheses")
def one_not_divided(logits, targets, ignore=-1):
    """The 1 at the target is not divided by the number of rows."""
    kept = (targets != ignore)[..., None]
    hit = np.arange(logits.shape[-1]) == targets[..., None]
    return np.where(kept, softmax(logits) / max(kept.sum(), 1) - hit, 0.0)
