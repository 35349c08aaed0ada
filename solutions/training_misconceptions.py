"""What people get wrong about training, as functions, each with the question that helps.

Every function here is a wrong answer to one step. Its decorator names the step and the first check that must
fail; its docstring is the hint that a student reads. A hint says what shows, what to print, and asks one question;
it never holds the repair. Names are for teachers: no student sees them. Entries of one `family` answer alike, or are
helped by the same question.

An entry stands by itself, as if handed in: it uses `np`, `math`, and the steps before it, which are right.
`autograder prove training` holds every entry, and every check, to its promise.
"""

import math

import numpy as np

from autograder.exercises.misconceptions import misconception

ALIKE = {
    "sum_of_the_lengths, sum_of_the_sizes": "Your length of 3 and 4 is 7. Print what you sum, and what you do with the sum: "
    "where are the squares, and where is the root?",
}


# 1. cross_entropy


@misconception(step="cross_entropy", caught_by="cross_entropy-by_hand")
def summed_not_averaged(logits, targets, ignore=-1):
    """Your loss grows with the length of the text. Print it for the first check's rows, and for these rows twice: should a longer text cost more?"""
    kept = targets != ignore
    rows = logits[kept] - logits[kept].max(axis=-1, keepdims=True, initial=-1e308)
    return (np.log(np.exp(rows).sum(axis=-1)) - rows[np.arange(len(rows)), targets[kept]]).sum()


@misconception(step="cross_entropy", caught_by="cross_entropy-any_padding")
def stopped_at_the_first_padding(logits, targets, ignore=-1):
    """Rows after the first ignored target do not count. Print how many rows you average over for the targets 1, -1, 2: how many should it be?"""
    z = np.reshape(logits, (-1, np.shape(logits)[-1]))
    t = np.ravel(targets)
    n = int(np.argmax(t == ignore)) if np.any(t == ignore) else len(t)
    if n == 0:
        return 0.0
    z = z[:n] - z[:n].max(axis=1, keepdims=True)
    return float(np.mean(np.log(np.exp(z).sum(axis=1)) - z[np.arange(n), t[:n]]))


@misconception(step="cross_entropy", caught_by="cross_entropy-by_hand")
def sign_forgotten(logits, targets, ignore=-1):
    """Your loss is negative. Print the logarithm of 1/2: is a surprise a gain or a price?"""
    kept = targets != ignore
    if not kept.any():
        return 0.0
    rows = logits[kept] - logits[kept].max(axis=-1, keepdims=True)
    return (rows[np.arange(len(rows)), targets[kept]] - np.log(np.exp(rows).sum(axis=-1))).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-by_hand")
def probability_without_logarithm(logits, targets, ignore=-1):
    """Your loss never exceeds 1. Print it for a target with the probability 1/1000: what does the formula make of a probability?"""
    kept = targets != ignore
    if not kept.any():
        return 0.0
    powers = np.exp(logits[kept] - logits[kept].max(axis=-1, keepdims=True))
    shares = powers / powers.sum(axis=-1, keepdims=True)
    return (1 - shares[np.arange(len(shares)), targets[kept]]).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-by_hand")
def logarithm_to_base_two(logits, targets, ignore=-1):
    """Your loss is in bits. Print your loss of a probability of 1/2: is it log 2, which is 0.6931?"""
    kept = targets != ignore
    if not kept.any():
        return 0.0
    rows = logits[kept] - logits[kept].max(axis=-1, keepdims=True)
    return (np.log2(np.exp(rows).sum(axis=-1)) - rows[np.arange(len(rows)), targets[kept]] / math.log(2)).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-by_hand")
def logits_taken_for_probabilities(logits, targets, ignore=-1):
    """You skip softmax. Print what you read at the targets: do a row's logits sum to 1?"""
    kept = targets != ignore
    if not kept.any():
        return 0.0
    return -logits[kept][np.arange(kept.sum()), targets[kept]].mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-by_hand")
def softmax_over_all_rows(logits, targets, ignore=-1):
    """Your rows share one softmax. Print the sum of the probabilities in the first row: whose number do you divide by?"""
    kept = targets != ignore
    if not kept.any():
        return 0.0
    rows = logits[kept] - logits[kept].max()
    return (np.log(np.exp(rows).sum()) - rows[np.arange(len(rows)), targets[kept]]).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-by_hand")
def targets_shifted_again(logits, targets, ignore=-1):
    """You compare each row with the next row's target. Print the pairs of row and target that you use: does the docstring shift them?"""
    logits, targets = logits[..., :-1, :], targets[..., 1:]
    kept = targets != ignore
    if not kept.any():
        return 0.0
    rows = logits[kept] - logits[kept].max(axis=-1, keepdims=True)
    return (np.log(np.exp(rows).sum(axis=-1)) - rows[np.arange(len(rows)), targets[kept]]).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-by_hand")
def targets_counted_from_one(logits, targets, ignore=-1):
    """You read the entry before each target. Print the entries that you pick: which one belongs to token 0?"""
    kept = targets != ignore
    if not kept.any():
        return 0.0
    rows = logits[kept] - logits[kept].max(axis=-1, keepdims=True)
    return (np.log(np.exp(rows).sum(axis=-1)) - rows[np.arange(len(rows)), targets[kept] - 1]).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-by_hand")
def both_sides_of_the_coin(logits, targets, ignore=-1):
    """You count the other tokens, too. Print your loss of the first row, token by token: which one is the target?"""
    kept = targets != ignore
    if not kept.any():
        return 0.0
    powers = np.exp(logits[kept] - logits[kept].max(axis=-1, keepdims=True))
    shares = np.clip(powers / powers.sum(axis=-1, keepdims=True), 1e-12, 1 - 1e-12)
    hot = np.eye(logits.shape[-1])[targets[kept]]
    return -(hot * np.log(shares) + (1 - hot) * np.log(1 - shares)).sum(axis=-1).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-ignored", family="padding counts")
def averaged_over_padding(logits, targets, ignore=-1):
    """Padding adds nothing to your sum, but you count it when you divide. Print the number of rows you divide by: how many have a target?"""
    kept = targets != ignore
    rows = logits - logits.max(axis=-1, keepdims=True)
    prices = np.log(np.exp(rows).sum(axis=-1)) - np.take_along_axis(rows, np.where(kept, targets, 0)[..., None], -1)[..., 0]
    return (prices * kept).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-ignored", family="padding counts")
def padding_predicted(logits, targets, ignore=-1):
    """Rows of padding add to your loss. Print your loss row by row: which entry of a row does a target of -1 pick?"""
    rows = logits - logits.max(axis=-1, keepdims=True)
    safe = np.where(targets == ignore, -1, targets)
    return (np.log(np.exp(rows).sum(axis=-1)) - np.take_along_axis(rows, safe[..., None], -1)[..., 0]).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-ignored")
def minus_one_whatever_is_said(logits, targets, ignore=-1):
    """You treat only -1 as padding. Print ignore in the second call: which rows does it mean there?"""
    kept = targets != -1
    if not kept.any():
        return 0.0
    rows = logits[kept] - logits[kept].max(axis=-1, keepdims=True)
    return (np.log(np.exp(rows).sum(axis=-1)) - rows[np.arange(len(rows)), targets[kept] % logits.shape[-1]]).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-thousands")
def no_maximum_subtracted(logits, targets, ignore=-1):
    """Large logits become infinite. Print exp of 3000: what may you subtract from all logits of a row without changing its softmax?"""
    kept = targets != ignore
    if not kept.any():
        return 0.0
    rows = logits[kept]
    with np.errstate(all="ignore"):
        return (np.log(np.exp(rows).sum(axis=-1)) - rows[np.arange(len(rows)), targets[kept]]).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-thousands", family="logarithm of a share")
def logarithm_of_zero(logits, targets, ignore=-1):
    """A probability underflows to 0 before you take its logarithm. Print the smallest one that you use: can you compute the loss without it?"""
    kept = targets != ignore
    if not kept.any():
        return 0.0
    powers = np.exp(logits[kept] - logits[kept].max(axis=-1, keepdims=True))
    shares = powers / powers.sum(axis=-1, keepdims=True)
    with np.errstate(all="ignore"):
        return -np.log(shares[np.arange(len(shares)), targets[kept]]).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-thousands", family="logarithm of a share")
def a_little_added_under_the_logarithm(logits, targets, ignore=-1):
    """No row of yours has a loss above 28. Print that of a target 3000 below the best: what do you add to its probability?"""
    kept = targets != ignore
    if not kept.any():
        return 0.0
    powers = np.exp(logits[kept] - logits[kept].max(axis=-1, keepdims=True))
    shares = powers / powers.sum(axis=-1, keepdims=True)
    return -np.log(shares[np.arange(len(shares)), targets[kept]] + 1e-12).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-thousands", family="one maximum for all")
def one_maximum_for_all_rows(logits, targets, ignore=-1):
    """The exponentials of a row far below the others are all 0. Print what you subtract from each row: is it its own maximum?"""
    kept = targets != ignore
    if not kept.any():
        return 0.0
    rows = logits[kept] - logits[kept].max()
    with np.errstate(all="ignore"):
        return (np.log(np.exp(rows).sum(axis=-1)) - rows[np.arange(len(rows)), targets[kept]]).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-thousands", family="one maximum for all")
def one_maximum_with_padding(logits, targets, ignore=-1):
    """The exponentials of a row far below the others are all 0. Print what you subtract from each row: is it its own maximum?"""
    kept, rows = targets != ignore, logits - logits.max()
    if not kept.any():
        return 0.0
    with np.errstate(all="ignore"):
        return (np.log(np.exp(rows[kept]).sum(axis=-1)) - rows[kept, targets[kept]]).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-ignored")
def mean_of_nothing(logits, targets, ignore=-1):
    """With nothing but padding you divide by 0. Print how many rows are left: what should the loss be there?"""
    kept = targets != ignore
    rows = logits[kept] - logits[kept].max(axis=-1, keepdims=True)
    with np.errstate(all="ignore"):
        return (np.log(np.exp(rows).sum(axis=-1)) - rows[np.arange(len(rows)), targets[kept]]).sum() / np.float64(kept.sum())


@misconception(step="cross_entropy", caught_by="cross_entropy-any_batch")
def first_text_alone(logits, targets, ignore=-1):
    """One text is right, a batch is not. Stack the first check's rows and their targets twice and print how many terms you sum: where is the second text?"""

    def price_of(logits, targets, ignore):
        kept = targets != ignore
        if not kept.any():
            return 0.0
        rows = logits[kept] - logits[kept].max(axis=-1, keepdims=True)
        return (np.log(np.exp(rows).sum(axis=-1)) - rows[np.arange(len(rows)), targets[kept]]).mean()

    while targets.ndim > 1:
        logits, targets = logits[0], targets[0]
    return price_of(logits, targets, ignore)


@misconception(step="cross_entropy", caught_by="cross_entropy-any_padding")
def mean_of_the_means(logits, targets, ignore=-1):
    """You average each text by itself, then the texts. Print how much a token counts in a text with much padding: should it count more than in a full one?"""
    if targets.ndim > 1:
        losses = [mean_of_the_means(row, target, ignore) for row, target in zip(logits, targets) if (target != ignore).any()]
        return sum(losses) / len(losses) if losses else 0.0
    kept = targets != ignore
    if not kept.any():
        return 0.0
    rows = logits[kept] - logits[kept].max(axis=-1, keepdims=True)
    return (np.log(np.exp(rows).sum(axis=-1)) - rows[np.arange(len(rows)), targets[kept]]).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-inputs_unchanged")
def maximum_taken_off_in_place(logits, targets, ignore=-1):
    """Your loss is right. Print logits before and after the call: whose array did your function write into?"""
    logits -= logits.max(axis=-1, keepdims=True)
    kept = targets != ignore
    if not kept.any():
        return 0.0
    rows = logits[kept]
    return (np.log(np.exp(rows).sum(axis=-1)) - rows[np.arange(len(rows)), targets[kept]]).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-large_logits")
def logits_cut_off_above(logits, targets, ignore=-1):
    """You treat all logits above 3500 as equal. Print your loss for the logits 4000 and 4001: should it be the same?"""

    def price_of(logits, targets, ignore):
        kept = targets != ignore
        if not kept.any():
            return 0.0
        rows = logits[kept] - logits[kept].max(axis=-1, keepdims=True)
        return (np.log(np.exp(rows).sum(axis=-1)) - rows[np.arange(len(rows)), targets[kept]]).mean()

    return price_of(np.minimum(logits, 3500.0), targets, ignore)


# 2. cross_entropy_backward


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-by_hand")
def gradient_of_the_sum(logits, targets, ignore=-1):
    """Your gradient is that of a sum. Print it next to the expected one: over how many rows is the loss averaged?"""

    def shares_of(logits):
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    kept = (targets != ignore)[..., None]
    return kept * (shares_of(logits) - (targets[..., None] == np.arange(logits.shape[-1])))


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-by_hand")
def one_subtracted_in_whole_columns(logits, targets, ignore=-1):
    """Every row loses 1 for the targets of all rows. Print your array after you subtract 1, in the first check: how many of its entries have changed?"""
    shape = logits.shape
    z, t = logits.reshape(-1, shape[-1]), targets.ravel()
    e = np.exp(z - z.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    keep = t != ignore
    p[:, t[keep]] -= 1
    p[~keep] = 0
    return (p / max(1, keep.sum())).reshape(shape)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-by_hand")
def target_forgotten_backwards(logits, targets, ignore=-1):
    """You push all tokens down, even the right one. Print the sum of a row: what is different at the target?"""

    def shares_of(logits):
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    kept = (targets != ignore)[..., None]
    return kept * shares_of(logits) / max(kept.sum(), 1)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-by_hand")
def uphill(logits, targets, ignore=-1):
    """All your signs are wrong. Print the number at a target: does the loss rise or fall when its logit rises?"""

    def shares_of(logits):
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    kept = (targets != ignore)[..., None]
    return kept * ((targets[..., None] == np.arange(logits.shape[-1])) - shares_of(logits)) / max(kept.sum(), 1)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-by_hand")
def gradient_at_the_target_alone(logits, targets, ignore=-1):
    """Only the targets get a gradient. Print a row's sum: where does probability come from when the target gains?"""

    def shares_of(logits):
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    kept = (targets != ignore)[..., None]
    return kept * (targets[..., None] == np.arange(logits.shape[-1])) * (shares_of(logits) - 1) / max(kept.sum(), 1)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-by_hand")
def divided_by_every_entry(logits, targets, ignore=-1):
    """Your numbers are too small. Print the number you divide by: does the loss average over rows, or over rows and tokens?"""

    def shares_of(logits):
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    kept = (targets != ignore)[..., None]
    return kept * (shares_of(logits) - (targets[..., None] == np.arange(logits.shape[-1]))) / max(kept.sum() * logits.shape[-1], 1)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-ignored")
def divided_by_padding_as_well(logits, targets, ignore=-1):
    """Padded rows are 0, but the others are too small. Print the number of rows you divide by: which of them count in the loss?"""

    def shares_of(logits):
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    kept = (targets != ignore)[..., None]
    return kept * (shares_of(logits) - (targets[..., None] == np.arange(logits.shape[-1]))) / targets.size


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-ignored")
def padding_pushed(logits, targets, ignore=-1):
    """Rows of padding get a gradient. Print them: do they count in the loss?"""

    def shares_of(logits):
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    kept = targets != ignore
    return (shares_of(logits) - (targets[..., None] == np.arange(logits.shape[-1])) * kept[..., None]) / max(kept.sum(), 1)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-ignored")
def only_minus_one_is_ignored(logits, targets, ignore=-1):
    """You treat only -1 as padding. Print ignore in the second call: which rows does it mean there?"""

    def shares_of(logits):
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    kept = (targets != -1)[..., None]
    return kept * (shares_of(logits) - (targets[..., None] == np.arange(logits.shape[-1]))) / max(kept.sum(), 1)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-ignored")
def ignored_if_no_token(logits, targets, ignore=-1):
    """You ignore targets that are no token. Print which rows you ignore for an ignore of 0: where does your code use it?"""
    kept = (targets >= 0) & (targets < logits.shape[-1])
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares = shares / shares.sum(axis=-1, keepdims=True)
    hot = targets[..., None] == np.arange(logits.shape[-1])
    return (shares - hot) * kept[..., None] / max(np.count_nonzero(kept), 1)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-ignored")
def kept_above_ignore(logits, targets, ignore=-1):
    """You keep only targets that are larger than ignore. Print which rows you keep for an ignore of 1: is 0 not a token, too?"""
    kept = targets > ignore
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares = shares / shares.sum(axis=-1, keepdims=True)
    hot = targets[..., None] == np.arange(logits.shape[-1])
    return (shares - hot) * kept[..., None] / max(np.count_nonzero(kept), 1)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-thousands")
def one_maximum_for_every_row(logits, targets, ignore=-1):
    """The exponentials of a row far below the others are all 0. Print what you subtract from each row: is it its own maximum?"""
    kept = (targets != ignore)[..., None]
    hot = targets[..., None] == np.arange(logits.shape[-1])
    with np.errstate(all="ignore"):
        shares = np.exp(logits - logits.max())
        shares = shares / shares.sum(axis=-1, keepdims=True)
    return np.where(kept, shares - hot, 0.0) / max(kept.sum(), 1)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-ignored")
def divided_by_no_rows(logits, targets, ignore=-1):
    """With nothing but padding you divide by 0. Print how many rows are left, and your result: what should it be?"""

    def shares_of(logits):
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    kept = (targets != ignore)[..., None]
    with np.errstate(all="ignore"):
        return kept * (shares_of(logits) - (targets[..., None] == np.arange(logits.shape[-1]))) / np.float64(kept.sum())


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-thousands")
def exponentials_of_thousands(logits, targets, ignore=-1):
    """Large logits become NaN. Print exp of 3000: what may you subtract from a row without changing its softmax?"""
    kept = (targets != ignore)[..., None]
    with np.errstate(all="ignore"):
        shares = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
        return kept * (shares - (targets[..., None] == np.arange(logits.shape[-1]))) / max(kept.sum(), 1)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-as_measured")
def divided_by_the_first_axis(logits, targets, ignore=-1):
    """You divide by the length of the first axis. Print it for a batch of texts, and how many targets there are: which of the two is the loss an average of?"""

    def shares_of(logits):
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    kept = (targets != ignore)[..., None]
    count = kept.sum() if kept.ndim == 2 else max(1, len(kept))
    return kept * (shares_of(logits) - (targets[..., None] == np.arange(logits.shape[-1]))) / max(count, 1)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-inputs_unchanged")
def targets_mended_in_place(logits, targets, ignore=-1):
    """Your gradient is right. Print targets before and after the call: what happened to the padding?"""

    def shares_of(logits):
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    kept = (targets != ignore)[..., None]
    targets[targets == ignore] = 0
    return kept * (shares_of(logits) - (targets[..., None] == np.arange(logits.shape[-1]))) / max(kept.sum(), 1)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-any_batch")
def gradient_of_logits_cut_off(logits, targets, ignore=-1):
    """You treat all logits above 1000 as equal. Print your gradient for the logits 4000 and 4001: should they get the same probability?"""

    def shares_of(logits):
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    kept = (targets != ignore)[..., None]
    return kept * (shares_of(np.clip(logits, -1000.0, 1000.0)) - (targets[..., None] == np.arange(logits.shape[-1]))) / max(kept.sum(), 1)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-by_hand")
def logits_less_the_targets(logits, targets, ignore=-1):
    """You use the logits as they are. Print your first row and its sum: where do you use softmax?"""
    kept = (targets != ignore)[..., None]
    return kept * (logits - (targets[..., None] == np.arange(logits.shape[-1]))) / max(kept.sum(), 1)


# 3. linear_backward


@misconception(step="linear_backward", caught_by="linear_backward-by_hand")
def weights_not_turned(d_output, x, W):
    """You multiply by W as it is. Print the shapes of d_output and W: which axis do the two share?"""

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    d_x = d_output @ W if W.shape[0] == W.shape[1] else np.resize(d_output @ np.resize(W, W.T.shape), x.shape)
    return d_x, rows_of(x).T @ rows_of(d_output), rows_of(d_output).sum(axis=0)


@misconception(step="linear_backward", caught_by="linear_backward-by_hand")
def gradient_of_the_weights_turned(d_output, x, W):
    """Your d_W is transposed. Print its shape and that of W: which axis is for features, and which for outputs?"""

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    return d_output @ W.T, rows_of(d_output).T @ rows_of(x), rows_of(d_output).sum(axis=0)


@misconception(step="linear_backward", caught_by="linear_backward-by_hand")
def bias_averaged(d_output, x, W):
    """Your d_b is an average. Print d_output and your d_b: how often was the bias added?"""

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    return d_output @ W.T, rows_of(x).T @ rows_of(d_output), rows_of(d_output).mean(axis=0)


@misconception(step="linear_backward", caught_by="linear_backward-by_hand")
def weights_averaged(d_output, x, W):
    """Your d_W shrinks when the text grows. Print the number you divide by: does a weight used by more tokens matter less?"""

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    return d_output @ W.T, rows_of(x).T @ rows_of(d_output) / len(rows_of(x)), rows_of(d_output).sum(axis=0)


@misconception(step="linear_backward", caught_by="linear_backward-by_hand")
def bias_not_summed(d_output, x, W):
    """Your d_b has a row for each token. Print its shape and that of the bias: how many biases are there?"""

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    return d_output @ W.T, rows_of(x).T @ rows_of(d_output), np.array(d_output)


@misconception(step="linear_backward", caught_by="linear_backward-batch_of_two", family="outer product")
def one_token_multiplied_with_itself(d_output, x, W):
    """For a single token your product of two vectors is a number, or fails. Print the shapes of both and of W: which entry of W joins which feature to which output?"""
    rows, d_rows = (a.reshape(-1, a.shape[-1]) if a.ndim > 2 else a for a in (x, d_output))
    return d_output @ W.T, rows.T @ d_rows, d_rows.sum(axis=0)


@misconception(step="linear_backward", caught_by="linear_backward-by_hand")
def bias_summed_over_outputs(d_output, x, W):
    """You sum d_output over the outputs of each token. Print the shape of your d_b: which axis is for the tokens?"""

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    return d_output @ W.T, rows_of(x).T @ rows_of(d_output), d_output.sum(axis=-1)


@misconception(step="linear_backward", caught_by="linear_backward-by_hand")
def bias_forgotten(d_output, x, W):
    """You return two parts. Print what your function returns: which of the three is missing?"""

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    return d_output @ W.T, rows_of(x).T @ rows_of(d_output)


@misconception(step="linear_backward", caught_by="linear_backward-by_hand")
def parts_in_another_order(d_output, x, W):
    """Your parts are right, but in a different order. Print their shapes: which one does the docstring name first?"""

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    return rows_of(x).T @ rows_of(d_output), d_output @ W.T, rows_of(d_output).sum(axis=0)


@misconception(step="linear_backward", caught_by="linear_backward-batch_of_two")
def batch_axis_kept(d_output, x, W):
    """Your weights get a gradient for each text. Print the shape of d_W for a batch: how many matrices W are there?"""
    if x.ndim < 2:
        return d_output @ W.T, np.outer(x, d_output), np.array(d_output)
    return d_output @ W.T, np.swapaxes(x, -1, -2) @ d_output, d_output.sum(axis=-2)


@misconception(step="linear_backward", caught_by="linear_backward-batch_of_two")
def bias_summed_over_the_batch_alone(d_output, x, W):
    """Your d_b still has a row for each token of a text. Print its shape for a batch: which axes are left to sum over?"""

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    return d_output @ W.T, rows_of(x).T @ rows_of(d_output), d_output.sum(axis=0) if x.ndim > 1 else np.array(d_output)


@misconception(step="linear_backward", caught_by="linear_backward-batch_of_two")
def single_token_not_foreseen(d_output, x, W):
    """A single token has no axis to sum over. Print x.shape and x.T.shape for one token: what does a transpose do to a single axis?"""

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    if x.ndim == 1:
        return d_output @ W.T, x.T @ np.resize(d_output, x.shape), d_output.sum(axis=0)
    return d_output @ W.T, rows_of(x).T @ rows_of(d_output), rows_of(d_output).sum(axis=0)


@misconception(step="linear_backward", caught_by="linear_backward-any_batch")
def at_most_one_batch_axis(d_output, x, W):
    """A batch is right, a batch of batches is not. Print the shape of d_W for x of four axes: which of them are summed over?"""

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    d_W, d_b = (rows_of(x).T @ rows_of(d_output), rows_of(d_output).sum(axis=0)) if x.ndim < 4 else (np.einsum("bti,bto->io", x[0], d_output[0]), d_output[0].sum(axis=(0, 1)))
    return d_output @ W.T, d_W, d_b


@misconception(step="linear_backward", caught_by="linear_backward-inputs_unchanged")
def collected_in_the_weights(d_output, x, W):
    """Your three parts are right. Print W before and after the call: whose array did your function write into?"""

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    d_x, d_W = d_output @ W.T, rows_of(x).T @ rows_of(d_output)
    W[...] = d_W
    return d_x, d_W, rows_of(d_output).sum(axis=0)


@misconception(step="linear_backward", caught_by="linear_backward-as_measured")
def gate_of_relu(d_output, x, W):
    """Inputs below 0 get no gradient. Print your d_x for such an input: is there a ReLU in x @ W + b?"""

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    return d_output @ W.T * (x > 0), rows_of(x).T @ rows_of(d_output), rows_of(d_output).sum(axis=0)


# 4. layer_norm_backward


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def mean_and_variance_held_still(d_output, x, gamma, eps=1e-5):
    """Your d_x holds only the direct path. Print the sum of a token's row: what does the mean do when one feature changes?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    y, root, g = norm_of(d_output, x, gamma, eps)
    return g / root, rows_of(d_output * y).sum(axis=0), rows_of(d_output).sum(axis=0)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def way_through_the_variance_missing(d_output, x, gamma, eps=1e-5):
    """Your rows sum to 0, but one path is missing. Print the mean of g times the normalised features: what does the root do when one feature changes?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    y, root, g = norm_of(d_output, x, gamma, eps)
    return (g - mean_of(g)) / root, rows_of(d_output * y).sum(axis=0), rows_of(d_output).sum(axis=0)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def way_through_the_mean_missing(d_output, x, gamma, eps=1e-5):
    """Your rows do not sum to 0. Print their sums: what happens to the outputs if all features grow by the same amount?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    y, root, g = norm_of(d_output, x, gamma, eps)
    return (g - y * mean_of(g * y)) / root, rows_of(d_output * y).sum(axis=0), rows_of(d_output).sum(axis=0)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def gain_forgotten_backwards(d_output, x, gamma, eps=1e-5):
    """Your gamma plays no part in your d_x. Print d_x for gamma of ones and of twos: should they be equal?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    y, root, _ = norm_of(d_output, x, gamma, eps)
    g = d_output
    return (g - mean_of(g) - y * mean_of(g * y)) / root, rows_of(d_output * y).sum(axis=0), rows_of(d_output).sum(axis=0)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def means_of_the_gradient_without_gain(d_output, x, gamma, eps=1e-5):
    """Your means lack gamma. Print what you average: is it g?"""
    root = np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    normed, over = (x - x.mean(axis=-1, keepdims=True)) / root, tuple(range(x.ndim - 1))
    through_mean = d_output.mean(axis=-1, keepdims=True)
    through_variance = normed * (d_output * normed).mean(axis=-1, keepdims=True)
    d_x = (gamma * d_output - through_mean - through_variance) / root
    return d_x, (d_output * normed).sum(axis=over), d_output.sum(axis=over)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def gain_at_the_end(d_output, x, gamma, eps=1e-5):
    """You multiply by gamma after subtracting the means. Print what you average: does a feature with a large gain affect the means more?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    y, root, _ = norm_of(d_output, x, gamma, eps)
    g = d_output
    return gamma * (g - mean_of(g) - y * mean_of(g * y)) / root, rows_of(d_output * y).sum(axis=0), rows_of(d_output).sum(axis=0)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def root_forgotten(d_output, x, gamma, eps=1e-5):
    """Your d_x is too large by a constant factor. Print expected divided by yours: what did the norm divide by?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    y, _, g = norm_of(d_output, x, gamma, eps)
    return g - mean_of(g) - y * mean_of(g * y), rows_of(d_output * y).sum(axis=0), rows_of(d_output).sum(axis=0)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def divided_by_the_variance(d_output, x, gamma, eps=1e-5):
    """Your d_x is too small by a constant factor. Print yours divided by the expected one: does the norm divide by the variance or its root?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    y, root, g = norm_of(d_output, x, gamma, eps)
    return (g - mean_of(g) - y * mean_of(g * y)) / root**2, rows_of(d_output * y).sum(axis=0), rows_of(d_output).sum(axis=0)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def sums_for_means(d_output, x, gamma, eps=1e-5):
    """You subtract far too much. Print what you subtract in the first check, where the mean is 1/2: by how many features is a mean divided?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    y, root, g = norm_of(d_output, x, gamma, eps)
    d_x = (g - g.sum(axis=-1, keepdims=True) - y * (g * y).sum(axis=-1, keepdims=True)) / root
    return d_x, rows_of(d_output * y).sum(axis=0), rows_of(d_output).sum(axis=0)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def variance_by_n_minus_one(d_output, x, gamma, eps=1e-5):
    """Your root is a little too large. Print the variance of 0, 0, 6, 6 that you use: is it 9?"""

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    root = np.sqrt(x.var(axis=-1, keepdims=True) * x.shape[-1] / max(1, x.shape[-1] - 1) + eps)
    y, g = (x - mean_of(x)) / root, gamma * d_output
    return (g - mean_of(g) - y * mean_of(g * y)) / root, rows_of(d_output * y).sum(axis=0), rows_of(d_output).sum(axis=0)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def gain_collects_the_input(d_output, x, gamma, eps=1e-5):
    """Your d_gamma uses x before the norm. Print what you multiply d_output by: what was gamma multiplied by in the forward pass?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    y, root, g = norm_of(d_output, x, gamma, eps)
    return (g - mean_of(g) - y * mean_of(g * y)) / root, rows_of(d_output * x).sum(axis=0), rows_of(d_output).sum(axis=0)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def gain_and_shift_trade_places(d_output, x, gamma, eps=1e-5):
    """Your second and third part are swapped. Print both: which of them is the sum of d_output alone?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    y, root, g = norm_of(d_output, x, gamma, eps)
    return (g - mean_of(g) - y * mean_of(g * y)) / root, rows_of(d_output).sum(axis=0), rows_of(d_output * y).sum(axis=0)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def eps_beside_the_root(d_output, x, gamma, eps=1e-5):
    """Your root is too large. Print it in the first check, where variance and eps are 9 and 7: is it 4?"""

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    root = x.std(axis=-1, keepdims=True) + eps
    y, g = (x - mean_of(x)) / root, gamma * d_output
    return (g - mean_of(g) - y * mean_of(g * y)) / root, rows_of(d_output * y).sum(axis=0), rows_of(d_output).sum(axis=0)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def eps_as_the_smallest_variance(d_output, x, gamma, eps=1e-5):
    """You use eps only where the variance is smaller. Print your root in the first check, where variance and eps are 9 and 7: is it 4?"""
    root = np.sqrt(np.maximum(x.var(axis=-1, keepdims=True), eps))
    normed, over = (x - x.mean(axis=-1, keepdims=True)) / root, tuple(range(x.ndim - 1))
    g = gamma * d_output
    d_x = (g - g.mean(axis=-1, keepdims=True) - normed * (g * normed).mean(axis=-1, keepdims=True)) / root
    return d_x, (d_output * normed).sum(axis=over), d_output.sum(axis=over)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-batch_of_two")
def statistics_over_the_tokens(d_output, x, gamma, eps=1e-5):
    """You average a feature over the tokens. Print its shape for a batch: which axis does the norm average over?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    if x.ndim < 3:
        y, root, g = norm_of(d_output, x, gamma, eps)
        return (g - mean_of(g) - y * mean_of(g * y)) / root, rows_of(d_output * y).sum(axis=0), rows_of(d_output).sum(axis=0)
    root = np.sqrt(x.var(axis=-2, keepdims=True) + eps)
    y, g = (x - x.mean(axis=-2, keepdims=True)) / root, gamma * d_output
    d_x = (g - g.mean(axis=-2, keepdims=True) - y * (g * y).mean(axis=-2, keepdims=True)) / root
    return d_x, rows_of(d_output * y).sum(axis=0), rows_of(d_output).sum(axis=0)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-batch_of_two")
def gain_for_each_text(d_output, x, gamma, eps=1e-5):
    """Your d_gamma has a row for each text. Print its shape for a batch: how many gammas are there?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    y, root, g = norm_of(d_output, x, gamma, eps)
    axes = (-2,) if x.ndim > 1 else ()
    return (g - mean_of(g) - y * mean_of(g * y)) / root, (d_output * y).sum(axis=axes), d_output.sum(axis=axes)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-batch_of_two")
def gain_averaged_over_tokens(d_output, x, gamma, eps=1e-5):
    """Your d_gamma and d_beta are averages. Print the number of tokens you divide by: does a gain that acts on more tokens matter less?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    y, root, g = norm_of(d_output, x, gamma, eps)
    return (g - mean_of(g) - y * mean_of(g * y)) / root, rows_of(d_output * y).mean(axis=0), rows_of(d_output).mean(axis=0)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-eps")
def another_eps_by_default(d_output, x, gamma, eps=1e-5):
    """Your default eps is wrong. Print it in a call without eps: which one is in the docstring?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    y, root, g = norm_of(d_output, x, gamma, 1e-6 if eps == 1e-5 else eps)
    return (g - mean_of(g) - y * mean_of(g * y)) / root, rows_of(d_output * y).sum(axis=0), rows_of(d_output).sum(axis=0)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-inputs_unchanged")
def gain_multiplied_in_place(d_output, x, gamma, eps=1e-5):
    """Your three parts are right. Print d_output before and after the call: whose array did your function write into?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    y, root, _ = norm_of(d_output, x, gamma, eps)
    d_gamma, d_beta = rows_of(d_output * y).sum(axis=0), rows_of(d_output).sum(axis=0)
    d_output *= gamma
    return (d_output - mean_of(d_output) - y * mean_of(d_output * y)) / root, d_gamma, d_beta


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-any_batch")
def two_leading_axes_at_most(d_output, x, gamma, eps=1e-5):
    """Up to two leading axes are right. Print the shape of your d_gamma for x of four axes: which of them are summed over?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    y, root, g = norm_of(d_output, x, gamma, eps)
    axes = tuple(range(min(2, x.ndim - 1)))
    return (g - mean_of(g) - y * mean_of(g * y)) / root, (d_output * y).sum(axis=axes), d_output.sum(axis=axes)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-as_measured")
def gain_without_sign(d_output, x, gamma, eps=1e-5):
    """Your gains have lost their signs. Call it with a gamma below 0 and print your d_x: which sign should it have there?"""

    def norm_of(d_output, x, gamma, eps):
        centred = x - x.mean(axis=-1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
        return centred / root, root, gamma * d_output

    def rows_of(array):
        return array.reshape(-1, array.shape[-1])

    def mean_of(array):
        return array.mean(axis=-1, keepdims=True)

    y, root, g = norm_of(d_output, x, np.abs(gamma), eps)
    return (g - mean_of(g) - y * mean_of(g * y)) / root, rows_of(d_output * y).sum(axis=0), rows_of(d_output).sum(axis=0)


# 5. gelu_backward


@misconception(step="gelu_backward", caught_by="gelu_backward-by_hand")
def product_rule_forgotten(d_output, x):
    """You treat the share as a constant. Print your slope at 1: does the share not grow there, too?"""

    def phi_of(x):
        return np.vectorize(lambda number: math.erfc(-number / math.sqrt(2)) / 2, otypes=[float])(x)

    return d_output * phi_of(x)


@misconception(step="gelu_backward", caught_by="gelu_backward-as_measured")
def flat_beyond_three(d_output, x):
    """Far from 0 your slope is exactly 0 or 1. Print it for 3.5, next to what you measure with a small step: how much is missing?"""
    Phi = 0.5 * (1 + np.vectorize(math.erf)(x / np.sqrt(2)))
    slope = Phi + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    slope = np.where(x > 3, 1.0, np.where(x < -3, 0.0, slope))
    return d_output * slope


@misconception(step="gelu_backward", caught_by="gelu_backward-by_hand")
def second_term_without_x(d_output, x):
    """Your slope at 0 is not 1/2. Print it: what do you multiply the height of the curve by there?"""

    def phi_of(x):
        return np.vectorize(lambda number: math.erfc(-number / math.sqrt(2)) / 2, otypes=[float])(x)

    def height_of(x):
        return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)

    return d_output * (phi_of(x) + height_of(x))


@misconception(step="gelu_backward", caught_by="gelu_backward-by_hand")
def height_not_normalised(d_output, x):
    """Your bell curve is too high. Print its height at 0: is it 0.3989?"""

    def phi_of(x):
        return np.vectorize(lambda number: math.erfc(-number / math.sqrt(2)) / 2, otypes=[float])(x)

    return d_output * (phi_of(x) + x * np.exp(-(x**2) / 2))


@misconception(step="gelu_backward", caught_by="gelu_backward-by_hand")
def pi_outside_the_root(d_output, x):
    """Your bell curve is too high. Print its height at 0: is it 0.3989?"""
    share = (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))) / 2
    return d_output * (share + x * np.exp(-(x**2) / 2) / math.sqrt(2) * math.pi)


@misconception(step="gelu_backward", caught_by="gelu_backward-by_hand")
def slope_of_erf_itself(d_output, x):
    """Your bell curve is that of erf, which is narrower. Print its height at 1: is it 0.2420?"""

    def phi_of(x):
        return np.vectorize(lambda number: math.erfc(-number / math.sqrt(2)) / 2, otypes=[float])(x)

    return d_output * (phi_of(x) + x * np.exp(-(x**2)) / math.sqrt(math.pi))


@misconception(step="gelu_backward", caught_by="gelu_backward-by_hand")
def slope_of_relu(d_output, x):
    """Your slopes are only 0 or 1. Print the one at -1: is it 0, as for ReLU?"""
    return d_output * (x > 0)


@misconception(step="gelu_backward", caught_by="gelu_backward-by_hand")
def incoming_gradient_forgotten(d_output, x):
    """You ignore d_output. Print your result for twice the d_output: should it stay the same?"""

    def phi_of(x):
        return np.vectorize(lambda number: math.erfc(-number / math.sqrt(2)) / 2, otypes=[float])(x)

    def height_of(x):
        return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)

    return phi_of(x) + x * height_of(x)


@misconception(step="gelu_backward", caught_by="gelu_backward-by_hand")
def forwards_not_backwards(d_output, x):
    """You compute gelu itself. Print your result for x of 0: is that gelu, or its slope?"""

    def phi_of(x):
        return np.vectorize(lambda number: math.erfc(-number / math.sqrt(2)) / 2, otypes=[float])(x)

    return d_output * x * phi_of(x)


@misconception(step="gelu_backward", caught_by="gelu_backward-by_hand")
def root_of_two_forgotten(d_output, x):
    """Your share is that of erf(x). Print it at 1: is it 0.8413?"""

    def height_of(x):
        return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)

    below = np.vectorize(lambda number: (1 + math.erf(number)) / 2, otypes=[float])(x)
    return d_output * (below + x * height_of(x))


@misconception(step="gelu_backward", caught_by="gelu_backward-by_hand")
def slope_of_the_approximation(d_output, x):
    """Your slopes are nearly right. Print the one at 1 with all its digits, next to 1.0833154706: which form of gelu is it the slope of?"""
    c = math.sqrt(2 / math.pi)
    t = np.tanh(c * (x + 0.044715 * x**3))
    return d_output * ((1 + t) / 2 + x * (1 - t**2) * c * (1 + 3 * 0.044715 * x**2) / 2)


@misconception(step="gelu_backward", caught_by="gelu_backward-far_out")
def height_with_an_overflow(d_output, x):
    """Far out something becomes infinite or NaN. Print exp(x**2 / 2) there: is it in the numerator or the denominator?"""

    def phi_of(x):
        return np.vectorize(lambda number: math.erfc(-number / math.sqrt(2)) / 2, otypes=[float])(x)

    with np.errstate(all="ignore"):
        grown = np.exp(x**2 / 2)
        return d_output * (phi_of(x) + x * (1 / grown) * grown / grown / math.sqrt(2 * math.pi))


@misconception(step="gelu_backward", caught_by="gelu_backward-inputs_unchanged")
def input_squared_in_place(d_output, x):
    """Your slopes are right. Print x before and after the call: whose array did your function write into?"""

    def phi_of(x):
        return np.vectorize(lambda number: math.erfc(-number / math.sqrt(2)) / 2, otypes=[float])(x)

    def height_of(x):
        return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)

    result = d_output * (phi_of(x) + x * height_of(x))
    x **= 2
    return result


@misconception(step="gelu_backward", caught_by="gelu_backward-as_measured")
def straight_beyond_two(d_output, x):
    """Beyond 2 and -2 your slopes are 0 and 1. Print the one at 2.2: is it not above 1?"""

    def phi_of(x):
        return np.vectorize(lambda number: math.erfc(-number / math.sqrt(2)) / 2, otypes=[float])(x)

    def height_of(x):
        return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)

    return d_output * np.where(np.abs(x) > 2, x > 0, phi_of(x) + x * height_of(x))


@misconception(step="gelu_backward", caught_by="gelu_backward-large_numbers")
def gradient_limited_to_a_hundred(d_output, x):
    """Large gradients are cut off. Print your result for a d_output of 5000: does the docstring ask for a limit?"""

    def phi_of(x):
        return np.vectorize(lambda number: math.erfc(-number / math.sqrt(2)) / 2, otypes=[float])(x)

    def height_of(x):
        return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)

    return np.clip(d_output * (phi_of(x) + x * height_of(x)), -100.0, 100.0)


@misconception(step="gelu_backward", caught_by="gelu_backward-by_hand")
def slope_of_the_sigmoid_form(d_output, x):
    """Your slopes are a little off. Print the one at 1 next to 1.0833154706: is a sigmoid the share of the bell curve?"""
    s = 1 / (1 + np.exp(-1.702 * np.clip(x, -300, 300)))
    return d_output * (s + 1.702 * x * s * (1 - s))


@misconception(step="gelu_backward", caught_by="gelu_backward-by_hand")
def slope_of_the_share(d_output, x):
    """You return only the slope of the share. Print yours at 0: is it 1/2?"""

    def height_of(x):
        return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)

    return d_output * height_of(x)


@misconception(step="gelu_backward", caught_by="gelu_backward-large_numbers")
def whole_slopes_far_out(d_output, x):
    """Behind a number that is far out, the slopes of all others become whole numbers. Print the dtype of your slopes for x = [40, 1]: which number decided it?"""

    def slope(number):
        if abs(number) > 8.0:
            return 1 if number > 0 else 0
        height = math.exp(-(number**2) / 2) / math.sqrt(2 * math.pi)
        return 0.5 * (1.0 + math.erf(number / math.sqrt(2.0))) + number * height

    return d_output * np.vectorize(slope)(x)


# 6. embedding_backward


@misconception(step="embedding_backward", caught_by="embedding_backward-by_hand")
def plus_equals_with_repeated_tokens(d_output, tokens, vocabulary_size):
    """For a token that occurs twice you keep only one gradient. Print what `a = np.zeros(2); a[[0, 0]] += 1` makes of a: how often is a[0] written?"""
    d_table = np.zeros((vocabulary_size, d_output.shape[-1]))
    d_table[tokens] += d_output
    return d_table


@misconception(step="embedding_backward", caught_by="embedding_backward-any_tokens")
def table_of_whole_numbers(d_output, tokens, vocabulary_size):
    """Your table holds whole numbers only. Print its dtype, and one of its rows after 0.5 has been added: what does your table begin as?"""
    d_table = np.zeros((vocabulary_size, d_output.shape[-1]), dtype=int)
    D = d_output.reshape(-1, d_output.shape[-1])
    for t, row in zip(tokens.ravel(), D):
        d_table[t] = d_table[t] + row
    return d_table


@misconception(step="embedding_backward", caught_by="embedding_backward-by_hand")
def averaged_over_occurrences(d_output, tokens, vocabulary_size):
    """Rows that occur twice get an average. Print yours for token 2 and both of its gradients: should you add them?"""
    d_table = np.zeros((vocabulary_size, d_output.shape[-1]))
    np.add.at(d_table, tokens, d_output)
    return d_table / np.maximum(np.bincount(tokens.ravel(), minlength=vocabulary_size), 1)[:, None]


@misconception(step="embedding_backward", caught_by="embedding_backward-by_hand")
def gradient_for_each_token(d_output, tokens, vocabulary_size):
    """You return a row for each token of the text. Print its shape and that of the table: whose gradient is it?"""
    return np.array(d_output)


@misconception(step="embedding_backward", caught_by="embedding_backward-by_hand")
def table_as_long_as_its_last_token(d_output, tokens, vocabulary_size):
    """Your table ends at the largest token that occurs. Print its shape: how many rows does the vocabulary have?"""
    d_table = np.zeros((tokens.max() + 1, d_output.shape[-1]))
    np.add.at(d_table, tokens, d_output)
    return d_table


@misconception(step="embedding_backward", caught_by="embedding_backward-any_tokens")
def last_row_never_filled(d_output, tokens, vocabulary_size):
    """The last row of your table stays 0. Print the tokens that your loop goes through: is the last of the vocabulary among them?"""
    d_table = np.zeros((vocabulary_size, d_output.shape[-1]))
    for token in range(vocabulary_size - 1):
        d_table[token] = d_output[tokens == token].sum(axis=0)
    return d_table


@misconception(step="embedding_backward", caught_by="embedding_backward-by_hand")
def one_hot_rows_reshaped(d_output, tokens, vocabulary_size):
    """You reshape rows of 0 and 1 that must be transposed. Print them before and after: does each new row stand for a token of the vocabulary?"""
    hot = np.eye(vocabulary_size)[tokens.ravel()]
    return hot.reshape(vocabulary_size, -1) @ d_output.reshape(tokens.size, -1)


@misconception(step="embedding_backward", caught_by="embedding_backward-by_hand")
def rows_for_what_occurs_alone(d_output, tokens, vocabulary_size):
    """You have a row only for each token that occurs. Print its shape: where are the others?"""
    found, places = np.unique(tokens, return_inverse=True)
    d_table = np.zeros((len(found), d_output.shape[-1]))
    np.add.at(d_table, places.reshape(tokens.shape), d_output)
    return d_table


@misconception(step="embedding_backward", caught_by="embedding_backward-by_hand")
def token_zero_taken_for_padding(d_output, tokens, vocabulary_size):
    """Token 0 gets no gradient, as if it were padding. Print row 0 and the gradients of token 0: does the docstring exclude it?"""
    d_table = np.zeros((vocabulary_size, d_output.shape[-1]))
    np.add.at(d_table, tokens, d_output)
    d_table[0] = 0.0
    return d_table


@misconception(step="embedding_backward", caught_by="embedding_backward-batch_of_two")
def one_text_at_a_time(d_output, tokens, vocabulary_size):
    """In a batch every text has a table. Print the shape of yours: how many tables did the tokens pick from?"""
    if tokens.ndim > 1:
        return np.array([one_text_at_a_time(d, t, vocabulary_size) for d, t in zip(d_output, tokens)])
    d_table = np.zeros((vocabulary_size, d_output.shape[-1]))
    np.add.at(d_table, tokens, d_output)
    return d_table


@misconception(step="embedding_backward", caught_by="embedding_backward-batch_of_two")
def text_after_text_with_plus_equals(d_output, tokens, vocabulary_size):
    """You add the gradients of texts, but not of equal tokens within one. Print row 1 after each text of the batch: which of its tokens were the same?"""
    d_table = np.zeros((vocabulary_size, d_output.shape[-1]))
    if tokens.ndim == 1:
        np.add.at(d_table, tokens, d_output)
    else:
        for token, behind in zip(tokens.reshape(-1, tokens.shape[-1]), d_output.reshape(-1, *d_output.shape[-2:])):
            d_table[token] += behind
    return d_table


@misconception(step="embedding_backward", caught_by="embedding_backward-any_tokens")
def whole_number_table(d_output, tokens, vocabulary_size):
    """Your table holds whole numbers. Print its dtype: what happens to 0.5 in it?"""
    d_table = np.zeros((vocabulary_size, d_output.shape[-1]), dtype=int)
    np.add.at(d_table, tokens, d_output.astype(int))
    return d_table


@misconception(step="embedding_backward", caught_by="embedding_backward-inputs_unchanged")
def tokens_sorted_in_place(d_output, tokens, vocabulary_size):
    """Your table is right. Print tokens before and after the call: whose array did you sort?"""
    d_table = np.zeros((vocabulary_size, d_output.shape[-1]))
    np.add.at(d_table, tokens, d_output)
    tokens.sort(axis=-1)
    return d_table


# 7. clip_by_global_norm


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-by_hand")
def clipped_array_by_array(gradients, max_norm):
    """You shorten each array separately. Print your factor for each of them: does the direction of the whole gradient stay the same?"""

    def length_of(gradients):
        return math.sqrt(sum(float(np.sum(array**2)) for array in gradients))

    return [array * min(1.0, max_norm / max(length_of([array]), 1e-300)) for array in gradients]


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-drawn")
def first_and_last_array_alone(gradients, max_norm):
    """Some arrays have no part in your norm. Print it for the three arrays [3], [4] and [12]: is it 13?"""
    norm = np.hypot(np.sqrt(np.sum(gradients[0] ** 2)), np.sqrt(np.sum(gradients[-1] ** 2)))
    return [g * (max_norm / norm) if norm > max_norm else g.copy() for g in gradients]


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-by_hand")
def clipped_number_by_number(gradients, max_norm):
    """You clip each number separately. Print yours for 3 and 4: is their ratio still 3 to 4?"""
    return [np.clip(array, -max_norm, max_norm) for array in gradients]


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-by_hand")
def root_of_the_squares_forgotten(gradients, max_norm):
    """Your length lacks the root. Print it for 3 and 4: is it 5?"""
    size = sum(float(np.sum(array**2)) for array in gradients)
    return [array * (max_norm / size if size > max_norm else 1.0) for array in gradients]


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-short_ones")
def square_compared_with_the_limit(gradients, max_norm):
    """You compare the square of the length with max_norm. Print what you compare for 3 and 4: is it 5 or 25?"""
    squares = sum(float(np.sum(array**2)) for array in gradients)
    return [array * (max_norm / math.sqrt(squares) if squares > max_norm else 1.0) for array in gradients]


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-by_hand")
def sum_of_the_lengths(gradients, max_norm):
    """You sum the lengths of the arrays. Print your length for 3 and 4: is it 5 or 7?"""

    def length_of(gradients):
        return math.sqrt(sum(float(np.sum(array**2)) for array in gradients))

    size = sum(length_of([array]) for array in gradients)
    return [array * (max_norm / size if size > max_norm else 1.0) for array in gradients]


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-by_hand")
def longest_array_decides(gradients, max_norm):
    """Only the longest array counts. Print your length for 3 and 4: is it that of both together?"""

    def length_of(gradients):
        return math.sqrt(sum(float(np.sum(array**2)) for array in gradients))

    size = max(length_of([array]) for array in gradients)
    return [array * (max_norm / size if size > max_norm else 1.0) for array in gradients]


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-by_hand")
def divided_by_the_norm_alone(gradients, max_norm):
    """Your gradients come out with length 1. Print their length for a max_norm of 2: is it 2?"""

    def length_of(gradients):
        return math.sqrt(sum(float(np.sum(array**2)) for array in gradients))

    size = length_of(gradients)
    return [array / size if size > max_norm else array * 1.0 for array in gradients]


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-short_ones")
def short_ones_stretched(gradients, max_norm):
    """Short gradients are made longer. Print yours for a max_norm of 10: should they change?"""

    def length_of(gradients):
        return math.sqrt(sum(float(np.sum(array**2)) for array in gradients))

    size = length_of(gradients)
    return [array * (max_norm / size) if size else array.copy() for array in gradients]


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-short_ones")
def divided_by_a_norm_of_zero(gradients, max_norm):
    """Gradients of 0 become NaN. Print their norm, and your factor: is there anything to scale?"""

    def length_of(gradients):
        return math.sqrt(sum(float(np.sum(array**2)) for array in gradients))

    size = np.float64(length_of(gradients))
    with np.errstate(all="ignore"):
        return [array / size * np.minimum(size, max_norm) for array in gradients]


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-drawn")
def something_added_to_the_norm(gradients, max_norm):
    """Tiny gradients come out too short. Multiply the first check's by a millionth, max_norm, too, and print the length of your result: what do you add to the norm?"""

    def length_of(gradients):
        return math.sqrt(sum(float(np.sum(array**2)) for array in gradients))

    size = length_of(gradients)
    return [array * (max_norm / (size + 1e-6) if size > max_norm else 1.0) for array in gradients]


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-inputs_unchanged")
def scaled_in_place(gradients, max_norm):
    """Your answer is right. Print the gradients before and after the call: whose arrays did you multiply?"""

    def length_of(gradients):
        return math.sqrt(sum(float(np.sum(array**2)) for array in gradients))

    size = length_of(gradients)
    for array in gradients:
        array *= max_norm / size if size > max_norm else 1.0
    return gradients


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-inputs_unchanged")
def list_filled_anew(gradients, max_norm):
    """Your answer is right. Print the list before and after the call: does it still hold the old arrays?"""

    def length_of(gradients):
        return math.sqrt(sum(float(np.sum(array**2)) for array in gradients))

    size = length_of(gradients)
    for number, array in enumerate(gradients):
        gradients[number] = array * (max_norm / size if size > max_norm else 1.0)
    return gradients


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-by_hand")
def mean_square_for_length(gradients, max_norm):
    """You take a mean of squares. Print your length for 3, 0, 0 and 4: is it 5?"""

    def length_of(gradients):
        return math.sqrt(sum(float(np.sum(array**2)) for array in gradients))

    count = sum(array.size for array in gradients)
    size = length_of(gradients) / math.sqrt(count)
    return [array * (max_norm / size if size > max_norm else 1.0) for array in gradients]


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-by_hand")
def largest_number_for_length(gradients, max_norm):
    """The largest number is your length. Print it for 3 and 4: is it 5?"""
    size = max(float(np.abs(array).max()) for array in gradients)
    return [array * (max_norm / size if size > max_norm else 1.0) for array in gradients]


# 8. adamw_update


@misconception(step="adamw_update", caught_by="adamw_update-by_hand")
def no_bias_correction(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your first step is about three times as long as the learning rate. Print m and v at step 1: what corrects for their start at 0?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    return w - learning_rate * (m / (np.sqrt(v) + eps) + weight_decay * w), m, v


@misconception(step="adamw_update", caught_by="adamw_update-by_hand")
def first_moment_not_corrected(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your first step is too short. Print the first moment as you use it: what fraction of the gradient is in it at step 1?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    return w - learning_rate * (m / (np.sqrt(v / (1 - beta_2**t)) + eps) + weight_decay * w), m, v


@misconception(step="adamw_update", caught_by="adamw_update-by_hand")
def second_moment_not_corrected(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your first step is far too long. Print the second moment as you use it: what fraction of the square is in it at step 1?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    return w - learning_rate * (m / (1 - beta_1**t) / (np.sqrt(v) + eps) + weight_decay * w), m, v


@misconception(step="adamw_update", caught_by="adamw_update-by_hand")
def corrected_moments_returned(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """You return the corrected moments. Print m after the first step: will the next step not correct it again?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    m_hat, v_hat = m / (1 - beta_1**t), v / (1 - beta_2**t)
    return w - learning_rate * (m_hat / (np.sqrt(v_hat) + eps) + weight_decay * w), m_hat, v_hat


@misconception(step="adamw_update", caught_by="adamw_update-by_hand")
def old_moments_returned(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """You return the old moments. Print them after a step: what should the next step know about this one?"""
    new_m, new_v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    return w - learning_rate * (new_m / (1 - beta_1**t) / (np.sqrt(new_v / (1 - beta_2**t)) + eps) + weight_decay * w), m * 1.0, v * 1.0


@misconception(step="adamw_update", caught_by="adamw_update-by_hand")
def betas_trade_places(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your first moment hardly moves. Print it after the first step: which beta belongs to it?"""
    m, v = beta_2 * m + (1 - beta_2) * gradient, beta_1 * v + (1 - beta_1) * gradient**2
    return w - learning_rate * (m / (1 - beta_2**t) / (np.sqrt(v / (1 - beta_1**t)) + eps) + weight_decay * w), m, v


@misconception(step="adamw_update", caught_by="adamw_update-by_hand")
def shares_the_wrong_way_round(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your moments take nearly all of the new gradient. Print m after the first step: which of the two shares is 0.9?"""
    m, v = (1 - beta_1) * m + beta_1 * gradient, (1 - beta_2) * v + beta_2 * gradient**2
    return w - learning_rate * (m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps) + weight_decay * w), m, v


@misconception(step="adamw_update", caught_by="adamw_update-by_hand")
def second_moment_without_squares(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your second moment is an average of sizes. Print it for a gradient of 4: is it a thousandth of 16?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * np.abs(gradient)
    return w - learning_rate * (m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps) + weight_decay * w), m, v


@misconception(step="adamw_update", caught_by="adamw_update-by_hand")
def share_squared_with_the_gradient(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """You square 1 - beta_2, too. Print v after the first step, for a gradient of 1: to what does the exponent belong?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + ((1 - beta_2) * gradient) ** 2
    step = m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps)
    return w - learning_rate * step - learning_rate * weight_decay * w, m, v


@misconception(step="adamw_update", caught_by="adamw_update-by_hand")
def root_left_out(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """A weight with a large gradient hardly moves, one with a small gradient moves far. Print your step for gradients of 4 and of 200: what do you divide the first moment by?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    return w - learning_rate * (m / (1 - beta_1**t) / (v / (1 - beta_2**t) + eps) + weight_decay * w), m, v


@misconception(step="adamw_update", caught_by="adamw_update-by_hand")
def up_the_hill(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your weights go up the hill. Print the sign of a gradient and that of your step: which way does the loss fall?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    return w + learning_rate * m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps) - learning_rate * weight_decay * w, m, v


@misconception(step="adamw_update", caught_by="adamw_update-by_hand")
def steps_counted_from_zero(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """You count one step too many. Print the power that beta_1 gets at the first step: is it 1?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    t = t + 1
    return w - learning_rate * (m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps) + weight_decay * w), m, v


@misconception(step="adamw_update", caught_by="adamw_update-second_step")
def corrected_as_at_the_first_step(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your correction is always that of the first step. Print what you divide by at step 2: where do you use t?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    return w - learning_rate * (m / (1 - beta_1) / (np.sqrt(v / (1 - beta_2)) + eps) + weight_decay * w), m, v


@misconception(step="adamw_update", caught_by="adamw_update-second_step")
def old_moment_used_in_the_step(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your step uses the gradient where its average should be. Print what you divide by the root at step 2: what is the first moment for?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    return w - learning_rate * (gradient / (np.sqrt(v / (1 - beta_2**t)) + eps) + weight_decay * w), m, v


@misconception(step="adamw_update", caught_by="adamw_update-eps")
def eps_under_the_root(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your eps is under the root. Print what you divide by where the root is 3 and eps 1: is it 4?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    return w - learning_rate * (m / (1 - beta_1**t) / np.sqrt(v / (1 - beta_2**t) + eps) + weight_decay * w), m, v


@misconception(step="adamw_update", caught_by="adamw_update-decay")
def decay_inside_the_moments(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your decay goes into the moments, and is divided by their size. Print m after a step without any gradient: is it 0?"""
    gradient = gradient + weight_decay * w
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    return w - learning_rate * m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps), m, v


@misconception(step="adamw_update", caught_by="adamw_update-decay")
def no_decay(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Without a gradient your weights do not change. Print them: what is weight_decay for?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    return w - learning_rate * m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps), m, v


@misconception(step="adamw_update", caught_by="adamw_update-decay")
def decay_without_the_learning_rate(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your decay is as strong for small learning rates as for large ones. Print what you subtract for 0.1 and for 0.001: should they be equal?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    return w - learning_rate * m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps) - weight_decay * w, m, v


@misconception(step="adamw_update", caught_by="adamw_update-drawn")
def decay_of_the_new_weights(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """You apply decay to weights that have already moved. Print both terms of a step: which weights is the second one computed from?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    w = w - learning_rate * m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps)
    return w - learning_rate * weight_decay * w, m, v


@misconception(step="adamw_update", caught_by="adamw_update-defaults")
def another_decay_by_default(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Without settings your weights do not decay. Print weight_decay in a call that does not give it: what does the docstring's signature say?"""
    weight_decay = 0.0 if weight_decay == 0.01 else weight_decay
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    return w - learning_rate * (m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps) + weight_decay * w), m, v


@misconception(step="adamw_update", caught_by="adamw_update-inputs_unchanged")
def moments_moved_in_place(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your first answer is right. Print m before and after the call: whose array did your function write into?"""
    m *= beta_1
    m += (1 - beta_1) * gradient
    v *= beta_2
    v += (1 - beta_2) * gradient**2
    return w - learning_rate * (m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps) + weight_decay * w), m, v


@misconception(step="adamw_update", caught_by="adamw_update-second_step")
def correction_by_t_times_beta(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your correction multiplies where a power belongs. Print what you divide m by at step 2, with a beta of 1/2: is it 3/4?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    m_hat, v_hat = m / (t * (1 - beta_1)), v / (t * (1 - beta_2))
    return w - learning_rate * (m_hat / (np.sqrt(v_hat) + eps) + weight_decay * w), m, v


@misconception(step="adamw_update", caught_by="adamw_update-decay")
def decay_by_the_sign(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Large weights and small ones decay by the same amount. Print what 20 and -40 lose: which one should lose more?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    return w - learning_rate * (m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps) + weight_decay * np.sign(w)), m, v


@misconception(step="adamw_update", caught_by="adamw_update-by_hand")
def second_moment_of_the_first(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """You compute the second moment from the first one. Print v after the first step: which number is squared in it?"""
    m = beta_1 * m + (1 - beta_1) * gradient
    v = beta_2 * v + (1 - beta_2) * m**2
    return w - learning_rate * (m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps) + weight_decay * w), m, v


@misconception(step="adamw_update", caught_by="adamw_update-eps")
def eps_before_the_correction(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """You add eps before you correct the second moment. Print the root that you add it to: is it 3 yet?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    return w - learning_rate * (m / (1 - beta_1**t) * math.sqrt(1 - beta_2**t) / (np.sqrt(v) + eps) + weight_decay * w), m, v


# 9. learning_rate


@misconception(step="learning_rate", caught_by="learning_rate-warms_up")
def first_step_of_nothing(step, peak, warmup, total, floor=0.0):
    """Your first rate is 0, so the first step is lost. Print the rates of steps 0 to 3: which step should be the first with a rate above 0?"""

    def down_of(step, peak, warmup, total, floor):
        return floor + (peak - floor) * (1 + math.cos(math.pi * min(1.0, (step - warmup) / (total - warmup)))) / 2

    return peak * step / warmup if step < warmup else down_of(step, peak, warmup, total, floor)


@misconception(step="learning_rate", caught_by="learning_rate-warms_up")
def peak_never_reached(step, peak, warmup, total, floor=0.0):
    """Your warm-up ends below the peak. Print the rate of the last step before warmup: how many steps do you divide by?"""

    def down_of(step, peak, warmup, total, floor):
        return floor + (peak - floor) * (1 + math.cos(math.pi * min(1.0, (step - warmup) / (total - warmup)))) / 2

    return peak * (step + 1) / (warmup + 1) if step < warmup else down_of(step, peak, warmup, total, floor)


@misconception(step="learning_rate", caught_by="learning_rate-warms_up")
def warmed_up_from_the_start(step, peak, warmup, total, floor=0.0):
    """You start at the peak. Print the rate of step 0: what is warm-up for?"""

    def down_of(step, peak, warmup, total, floor):
        return floor + (peak - floor) * (1 + math.cos(math.pi * min(1.0, (step - warmup) / (total - warmup)))) / 2

    return peak if step < warmup else down_of(step, peak, warmup, total, floor)


@misconception(step="learning_rate", caught_by="learning_rate-comes_down")
def cosine_that_rises(step, peak, warmup, total, floor=0.0):
    """After the peak your rate falls at once and rises again. Print it at step 4 and at step 12: at which end of the half cosine do you begin?"""
    if step <= warmup:
        return peak if step == warmup else peak * (step + 1) / warmup
    return floor + (peak - floor) * (1 - math.cos(math.pi * min(1.0, (step - warmup) / (total - warmup)))) / 2


@misconception(step="learning_rate", caught_by="learning_rate-comes_down")
def cosine_counted_from_step_zero(step, peak, warmup, total, floor=0.0):
    """Your cosine begins before the warm-up is over. Print the rates of steps 4 to 6: how much of the cosine is done at step = warmup?"""
    if step <= warmup:
        return peak if step == warmup else peak * (step + 1) / warmup
    return floor + (peak - floor) * (1 + math.cos(math.pi * min(1.0, step / total))) / 2


@misconception(step="learning_rate", caught_by="learning_rate-comes_down")
def cosine_over_the_whole_length(step, peak, warmup, total, floor=0.0):
    """Your cosine is not complete at the end. Print which part of it is done at step = total: how many steps does it have?"""
    if step < warmup:
        return peak * (step + 1) / warmup
    return floor if step > total else floor + (peak - floor) * (1 + math.cos(math.pi * (step - warmup) / total)) / 2


@misconception(step="learning_rate", caught_by="learning_rate-comes_down")
def straight_down(step, peak, warmup, total, floor=0.0):
    """Your decay is a straight line. Print the rates of steps 4 to 8: should the first step down be as large as the one half-way?"""
    if step < warmup:
        return peak * (step + 1) / warmup
    return peak + (floor - peak) * min(1.0, (step - warmup) / (total - warmup))


@misconception(step="learning_rate", caught_by="learning_rate-comes_down")
def quarter_of_a_cosine(step, peak, warmup, total, floor=0.0):
    """Your curve is steepest at the end. Print the rate half-way: is it half-way between peak and floor?"""
    if step < warmup:
        return peak * (step + 1) / warmup
    return floor + (peak - floor) * math.cos(math.pi / 2 * min(1.0, (step - warmup) / (total - warmup)))


@misconception(step="learning_rate", caught_by="learning_rate-comes_down")
def floor_forgotten(step, peak, warmup, total, floor=0.0):
    """Your rate ends at 0, whatever the floor. Print it at step = total: where do you use floor?"""

    def down_of(step, peak, warmup, total, floor):
        return floor + (peak - floor) * (1 + math.cos(math.pi * min(1.0, (step - warmup) / (total - warmup)))) / 2

    return peak * (step + 1) / warmup if step < warmup else down_of(step, peak, warmup, total, 0.0)


@misconception(step="learning_rate", caught_by="learning_rate-comes_down")
def floor_added_on_top(step, peak, warmup, total, floor=0.0):
    """You add the floor to the whole curve. Print the rate at step = warmup: is it the peak?"""

    def down_of(step, peak, warmup, total, floor):
        return floor + (peak - floor) * (1 + math.cos(math.pi * min(1.0, (step - warmup) / (total - warmup)))) / 2

    return peak * (step + 1) / warmup if step < warmup else floor + down_of(step, peak, warmup, total, 0.0)


@misconception(step="learning_rate", caught_by="learning_rate-comes_down")
def floor_cuts_the_curve_off(step, peak, warmup, total, floor=0.0):
    """Your curve goes to 0, and you cut it off at the floor. Print the rate half-way: is it half-way between peak and floor?"""

    def down_of(step, peak, warmup, total, floor):
        return floor + (peak - floor) * (1 + math.cos(math.pi * min(1.0, (step - warmup) / (total - warmup)))) / 2

    return peak * (step + 1) / warmup if step < warmup else max(floor, down_of(step, peak, warmup, total, 0.0))


@misconception(step="learning_rate", caught_by="learning_rate-comes_down")
def up_again_after_the_end(step, peak, warmup, total, floor=0.0):
    """After the end your rate rises again. Print it at step 13: what does a cosine do after half a turn?"""
    if step < warmup:
        return peak * (step + 1) / warmup
    return floor + (peak - floor) * (1 + math.cos(math.pi * (step - warmup) / (total - warmup))) / 2


@misconception(step="learning_rate", caught_by="learning_rate-comes_down")
def a_warm_up_at_least(step, peak, warmup, total, floor=0.0):
    """A warm-up of 0 does not work. Print what you divide by there: what is there to warm up?"""

    def down_of(step, peak, warmup, total, floor):
        return floor + (peak - floor) * (1 + math.cos(math.pi * min(1.0, (step - warmup) / (total - warmup)))) / 2

    warmup = warmup or 1
    return peak * (step + 1) / warmup if step < warmup else down_of(step, peak, warmup, total + 1, floor)


@misconception(step="learning_rate", caught_by="learning_rate-drawn")
def warm_up_of_one_step_left_out(step, peak, warmup, total, floor=0.0):
    """You ignore a warm-up of one step. Print the rates of steps 0 and 1 for a warmup of 1: are both the peak?"""

    def down_of(step, peak, warmup, total, floor):
        return floor + (peak - floor) * (1 + math.cos(math.pi * min(1.0, (step - warmup) / (total - warmup)))) / 2

    warmup = warmup if warmup > 1 else 0
    return peak * (step + 1) / warmup if step < warmup else down_of(step, peak, warmup, total, floor)


@misconception(step="learning_rate", caught_by="learning_rate-warms_up")
def warm_up_downwards(step, peak, warmup, total, floor=0.0):
    """Your warm-up cools down. Print the rates of steps 0 to 3: which of them should be the largest?"""

    def down_of(step, peak, warmup, total, floor):
        return floor + (peak - floor) * (1 + math.cos(math.pi * min(1.0, (step - warmup) / (total - warmup)))) / 2

    return peak * (warmup - step) / warmup if step < warmup else down_of(step, peak, warmup, total, floor)


@misconception(step="learning_rate", caught_by="learning_rate-comes_down")
def whole_cosine(step, peak, warmup, total, floor=0.0):
    """Your rate is at its lowest half-way. Print it at the end: how far does half a cosine go?"""
    if step < warmup:
        return peak * (step + 1) / warmup
    return floor + (peak - floor) * (1 + math.cos(2 * math.pi * (step - warmup) / (total - warmup))) / 2 if step < total else floor


@misconception(step="learning_rate", caught_by="learning_rate-warms_up", family="warm-up too long")
def warm_up_one_step_longer(step, peak, warmup, total, floor=0.0):
    """Your warm-up goes on at step = warmup. Print the rate there: is it above the peak?"""

    def down_of(step, peak, warmup, total, floor):
        return floor + (peak - floor) * (1 + math.cos(math.pi * min(1.0, (step - warmup) / (total - warmup)))) / 2

    return peak * (step + 1) / warmup if step <= warmup and warmup else down_of(step, peak, warmup, total, floor)


@misconception(step="learning_rate", caught_by="learning_rate-warms_up", family="warm-up too long")
def warm_up_one_step_longer_without_one(step, peak, warmup, total, floor=0.0):
    """Your warm-up goes on at step = warmup. Print the rate there: is it above the peak?"""
    if step <= warmup:
        return peak * (step + 1) / warmup
    part = min(1.0, (step - warmup) / (total - warmup))
    return floor + (peak - floor) * (1 + math.cos(math.pi * part)) / 2


@misconception(step="learning_rate", caught_by="learning_rate-comes_down")
def nothing_after_the_end(step, peak, warmup, total, floor=0.0):
    """After the end your rate is 0. Print it at step 13: what should it be?"""

    def down_of(step, peak, warmup, total, floor):
        return floor + (peak - floor) * (1 + math.cos(math.pi * min(1.0, (step - warmup) / (total - warmup)))) / 2

    if step < warmup:
        return peak * (step + 1) / warmup
    return 0.0 if step > total else down_of(step, peak, warmup, total, floor)


# 10. next_token_probabilities


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-temperature")
def multiplied_by_the_temperature(logits, temperature=1.0, top_k=None, top_p=None):
    """Your temperature works in the wrong direction. Print your probabilities at 1/2 and at 2: which of them should favour the best token?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    if temperature == 0:
        return best_of(logits)
    return top_p_of(top_k_of(softmax_of(logits * temperature), logits, top_k), top_p)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-drawn")
def one_place_beyond_the_vocabulary(logits, temperature=1.0, top_k=None, top_p=None):
    """Your function raises an error if all tokens are kept. Call it with four logits and top_k = 4, and print which place you ask for: is there one?"""
    if temperature == 0:
        return np.eye(len(logits))[np.argmax(logits)]
    z = logits / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    if top_k is not None:
        keep = np.argpartition(-p, top_k)[:top_k]
        kept = np.zeros_like(p)
        kept[keep] = p[keep]
        p = kept / kept.sum()
    if top_p is not None:
        order = np.argsort(-p, kind="stable")
        c = np.cumsum(p[order])
        p[order[1:][c[:-1] >= top_p - 1e-12]] = 0
        p /= p.sum()
    return p


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-temperature")
def temperature_never_used(logits, temperature=1.0, top_k=None, top_p=None):
    """Temperature changes nothing. Print your probabilities at 1/2 and at 2: where do you use it?"""

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    return best_of(logits) if temperature == 0 else top_p_of(top_k_of(softmax_of(logits), logits, top_k), top_p)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-temperature")
def probabilities_divided_by_the_temperature(logits, temperature=1.0, top_k=None, top_p=None):
    """You divide the probabilities, after softmax. Print their sum at temperature 2: is it still 1?"""

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    if temperature == 0:
        return best_of(logits)
    return top_p_of(top_k_of(softmax_of(logits), logits, top_k), top_p) / temperature


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-temperature")
def division_by_temperature_zero(logits, temperature=1.0, top_k=None, top_p=None):
    """At temperature 0 your probabilities are NaN. Print the logits divided by it: which token should get probability 1?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    with np.errstate(all="ignore"):
        return top_p_of(top_k_of(softmax_of(logits / np.float64(temperature)), logits, top_k), top_p)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-temperature")
def last_of_the_largest(logits, temperature=1.0, top_k=None, top_p=None):
    """At temperature 0 the last of several equals wins. Print its index: which one does the docstring name?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    if temperature == 0:
        return np.eye(len(logits))[len(logits) - 1 - np.argmax(logits[::-1])]
    return top_p_of(top_k_of(softmax_of(logits / temperature), logits, top_k), top_p)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-temperature")
def shared_among_the_largest(logits, temperature=1.0, top_k=None, top_p=None):
    """At temperature 0 equal tokens share the probability. Print your probabilities for 1, 3, 3: how many tokens should get all of it?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    if temperature == 0:
        return (logits == logits.max()) / np.sum(logits == logits.max())
    return top_p_of(top_k_of(softmax_of(logits / temperature), logits, top_k), top_p)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_k")
def top_k_not_renormalised(logits, temperature=1.0, top_k=None, top_p=None):
    """The probabilities that top_k keeps do not sum to 1. Print the sum: what should you divide by?"""

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    if temperature == 0:
        return best_of(logits)
    shares = softmax_of(logits / temperature)
    cut = np.where(np.isin(np.arange(len(logits)), np.argsort(-logits, kind="stable")[:top_k]), shares, 0.0)
    return cut if top_p is None else top_p_of(cut / cut.sum(), top_p)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_k")
def equals_all_kept(logits, temperature=1.0, top_k=None, top_p=None):
    """You keep more than top_k where some are equal. Print how many are above 0: how many should there be?"""

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    if temperature == 0:
        return best_of(logits)
    shares = softmax_of(logits / temperature)
    if top_k is not None:
        shares = np.where(logits >= np.sort(logits)[-top_k], shares, 0.0)
    return top_p_of(shares / shares.sum(), top_p)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_k", family="higher index")
def equals_of_higher_index(logits, temperature=1.0, top_k=None, top_p=None):
    """Of two equals you keep the later one. Print the indices that you keep: which of the two does the docstring name?"""

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    if temperature == 0:
        return best_of(logits)
    shares = softmax_of(logits / temperature)
    if top_k is not None:
        shares = kept_of(shares, np.argsort(logits, kind="stable")[::-1][:top_k])
    return top_p_of(shares, top_p)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_k")
def smallest_kept(logits, temperature=1.0, top_k=None, top_p=None):
    """You keep the least likely tokens. Print the indices that you keep, in their order: is the largest the first or the last of a sort?"""

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    if temperature == 0:
        return best_of(logits)
    shares = softmax_of(logits / temperature)
    return top_p_of(shares if top_k is None else kept_of(shares, np.argsort(logits, kind="stable")[:top_k]), top_p)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_k")
def one_more_than_k(logits, temperature=1.0, top_k=None, top_p=None):
    """You keep one too many. Print how many are above 0: how many did top_k ask for?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    if temperature == 0:
        return best_of(logits)
    return top_p_of(top_k_of(softmax_of(logits / temperature), logits, None if top_k is None else top_k + 1), top_p)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_p", family="crossing token")
def crossing_token_dropped(logits, temperature=1.0, top_k=None, top_p=None):
    """You drop the token that reaches top_p. Print the sum of what you keep, before you divide: does it reach 0.6?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    if temperature == 0:
        return best_of(logits)
    shares = top_k_of(softmax_of(logits / temperature), logits, top_k)
    if top_p is not None:
        order = np.argsort(-shares, kind="stable")
        shares = kept_of(shares, order[: max(1, np.count_nonzero(np.cumsum(shares[order]) <= top_p))])
    return shares


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_p")
def nothing_below_the_first(logits, temperature=1.0, top_k=None, top_p=None):
    """Where the best token alone is above top_p, you keep nothing. Print what you keep for 0.05: how many should you keep at least?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    if temperature == 0:
        return best_of(logits)
    shares = top_k_of(softmax_of(logits / temperature), logits, top_k)
    if top_p is not None:
        order = np.argsort(-shares, kind="stable")
        with np.errstate(all="ignore"):
            shares = kept_of(shares, order[: np.count_nonzero(np.cumsum(shares[order]) <= top_p)])
    return shares


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_p")
def one_after_the_crossing(logits, temperature=1.0, top_k=None, top_p=None):
    """You keep one more than is needed. Print the sum of what you keep, without the last one: does it not reach top_p already?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    if temperature == 0:
        return best_of(logits)
    shares = top_k_of(softmax_of(logits / temperature), logits, top_k)
    if top_p is not None:
        order = np.argsort(-shares, kind="stable")
        shares = kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 2])
    return shares


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_p")
def exceeds_instead_of_reaches(logits, temperature=1.0, top_k=None, top_p=None):
    """Where the sum is exactly top_p, you continue. Print your sums for four equal tokens and 0.5: do two not reach it?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    if temperature == 0:
        return best_of(logits)
    shares = top_k_of(softmax_of(logits / temperature), logits, top_k)
    if top_p is not None:
        order = np.argsort(-shares, kind="stable")
        shares = kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p, side="right") + 1])
    return shares


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_p")
def top_p_in_the_order_of_the_vocabulary(logits, temperature=1.0, top_k=None, top_p=None):
    """You sum in the order of the vocabulary. Print your sums: which token should be the first?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    if temperature == 0:
        return best_of(logits)
    shares = top_k_of(softmax_of(logits / temperature), logits, top_k)
    return shares if top_p is None else kept_of(shares, np.arange(np.searchsorted(np.cumsum(shares), top_p - 1e-9) + 1).clip(max=len(shares) - 1))


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_p")
def top_p_not_renormalised(logits, temperature=1.0, top_k=None, top_p=None):
    """The probabilities that top_p keeps do not sum to 1. Print the sum: what should you divide by?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    if temperature == 0:
        return best_of(logits)
    shares = top_k_of(softmax_of(logits / temperature), logits, top_k)
    return shares if top_p is None else np.where(top_p_of(shares, top_p) > 0, shares, 0.0)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_p")
def top_p_never_used(logits, temperature=1.0, top_k=None, top_p=None):
    """Your top_p changes nothing. Print your probabilities with and without it: where do you use it?"""

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    return best_of(logits) if temperature == 0 else top_k_of(softmax_of(logits / temperature), logits, top_k)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-one_after_the_other")
def top_p_of_the_whole(logits, temperature=1.0, top_k=None, top_p=None):
    """Your top_p uses the probabilities before top_k. Print the sums that you compare with it: have you divided them by the sum that top_k kept?"""

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    if temperature == 0:
        return best_of(logits)
    shares = softmax_of(logits / temperature)
    return top_k_of(top_p_of(shares, top_p), logits, top_k)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-one_after_the_other")
def top_p_before_the_temperature(logits, temperature=1.0, top_k=None, top_p=None):
    """You apply temperature last. Print the probabilities that top_p uses: have you divided the logits yet?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    if temperature == 0:
        return best_of(logits)
    kept = top_p_of(top_k_of(softmax_of(logits), logits, top_k), top_p) > 0
    return kept_of(softmax_of(logits / temperature), kept)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-one_after_the_other")
def either_top_k_or_top_p(logits, temperature=1.0, top_k=None, top_p=None):
    """Where both are given, you ignore one of them. Print your probabilities with each alone and with both: should both not cut?"""

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    if temperature == 0:
        return best_of(logits)
    shares = softmax_of(logits / temperature)
    return top_p_of(shares, top_p) if top_k is None else top_k_of(shares, logits, top_k)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-inputs_unchanged")
def logits_divided_in_place(logits, temperature=1.0, top_k=None, top_p=None):
    """Your first answer is right. Print logits before and after the call: whose array did you divide?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    if temperature == 0:
        return best_of(logits)
    logits /= temperature
    return top_p_of(top_k_of(softmax_of(logits), logits, top_k), top_p)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-inputs_unchanged")
def sampling_without_a_maximum(logits, temperature=1.0, top_k=None, top_p=None):
    """Logits of thousands become NaN. Print exp of 5000: what may you subtract from all of them?"""

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    if temperature == 0:
        return best_of(logits)
    with np.errstate(all="ignore"):
        shares = np.exp(logits / temperature) / np.exp(logits / temperature).sum()
        return top_p_of(top_k_of(shares, logits, top_k), top_p)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-drawn")
def temperature_of_two_at_most(logits, temperature=1.0, top_k=None, top_p=None):
    """Above 2 a higher temperature changes nothing. Print your probabilities at 2 and at 3: should they be equal?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    if temperature == 0:
        return best_of(logits)
    return top_p_of(top_k_of(softmax_of(logits / min(temperature, 2.0)), logits, top_k), top_p)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-temperature")
def temperature_squared(logits, temperature=1.0, top_k=None, top_p=None):
    """You apply temperature twice. Print what you divide the logits by at temperature 2: is it 2?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    if temperature == 0:
        return best_of(logits)
    return top_p_of(top_k_of(softmax_of(logits / temperature**2), logits, top_k), top_p)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-temperature")
def zero_taken_for_one(logits, temperature=1.0, top_k=None, top_p=None):
    """You treat temperature 0 as if it were not given. Print your probabilities there: which token should get all of it?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    return top_p_of(top_k_of(softmax_of(logits / (temperature or 1.0)), logits, top_k), top_p)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_k")
def first_k_tokens(logits, temperature=1.0, top_k=None, top_p=None):
    """You keep the first tokens of the vocabulary. Print which ones: are their probabilities the largest?"""

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    if temperature == 0:
        return best_of(logits)
    shares = softmax_of(logits / temperature)
    return top_p_of(shares if top_k is None else kept_of(shares, np.arange(len(logits))[:top_k]), top_p)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_p")
def each_compared_with_p(logits, temperature=1.0, top_k=None, top_p=None):
    """You compare each probability with top_p. Print what you compare: is it a sum?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    if temperature == 0:
        return best_of(logits)
    shares = top_k_of(softmax_of(logits / temperature), logits, top_k)
    if top_p is not None:
        shares = np.where((shares >= top_p) | (np.arange(len(shares)) == np.argmax(shares)), shares, 0.0)
    return shares / shares.sum()


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_p")
def last_equals_first_for_top_p(logits, temperature=1.0, top_k=None, top_p=None):
    """Of four equals you keep the last two. Print the order in which you sum: which of the equals comes first?"""

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_k_of(shares, logits, top_k):
        return shares if top_k is None else kept_of(shares, np.argsort(-logits, kind="stable")[:top_k])

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    if temperature == 0:
        return best_of(logits)
    shares = top_k_of(softmax_of(logits / temperature), logits, top_k)
    if top_p is None:
        return shares
    order = np.argsort(shares, kind="stable")[::-1]
    return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p - 1e-12) + 1])


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_k")
def equals_all_dropped(logits, temperature=1.0, top_k=None, top_p=None):
    """You keep fewer than top_k. Print how many are above 0: do you drop tokens that equal the last one kept?"""

    def softmax_of(scores):
        powers = np.exp(scores - np.max(scores))
        return powers / powers.sum()

    def best_of(logits):
        return np.eye(len(logits))[np.argmax(logits)]

    def kept_of(shares, kept):
        found = np.zeros(len(shares))
        found[kept] = shares[kept]
        return found / found.sum()

    def top_p_of(shares, top_p):
        if top_p is None:
            return shares
        order = np.argsort(-shares, kind="stable")
        return kept_of(shares, order[: np.searchsorted(np.cumsum(shares[order]), top_p) + 1])

    if temperature == 0:
        return best_of(logits)
    shares = softmax_of(logits / temperature)
    if top_k is not None and 0 < top_k < len(logits):
        shares = np.where(logits > np.sort(logits)[-top_k - 1], shares, 0.0)
    return top_p_of(shares / shares.sum(), top_p) if shares.any() else shares


# More from a fresh set


@misconception(step="cross_entropy", caught_by="cross_entropy-thousands")
def a_billionth_against_infinity(logits, targets, ignore=-1):
    """No row of yours has a loss above 21. Print minus the logarithm of the small number that you add: which loss can you never exceed?"""
    kept = targets != ignore
    if not kept.any():
        return 0.0
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares = powers / powers.sum(axis=-1, keepdims=True)
    return -np.log(shares[kept, targets[kept]] + 1e-9).mean()


@misconception(step="gelu_backward", caught_by="gelu_backward-by_hand")
def half_forgotten_in_the_exponent(d_output, x):
    """Your bell curve is too narrow. Print its height at 1: is it 0.2420?"""
    below = 0.5 * (1.0 + np.vectorize(math.erf)(x / math.sqrt(2.0)))
    return d_output * (below + x * np.exp(-(x**2)) / math.sqrt(2.0 * math.pi))


@misconception(step="learning_rate", caught_by="learning_rate-warms_up")
def cosine_since_the_first_step(step, peak, warmup, total, floor=0.0):
    """After the warm-up your rate jumps down. Print how much of the cosine is done at step = warmup: is it 0?"""
    if step < warmup:
        return peak * (step + 1) / warmup
    return floor + (peak - floor) * (1 + math.cos(math.pi * min(1.0, step / total))) / 2


@misconception(step="learning_rate", caught_by="learning_rate-on_the_way_up")
def warm_up_begins_at_the_floor(step, peak, warmup, total, floor=0.0):
    """You warm up from the floor. Print your first rate for a floor of 1: does the formula of the warm-up have a floor?"""
    if step < warmup:
        return floor + (peak - floor) * (step + 1) / warmup
    part = min(1.0, (step - warmup) / (total - warmup))
    return floor + (peak - floor) * (1 + math.cos(math.pi * part)) / 2



@misconception(step="cross_entropy", caught_by="cross_entropy-by_hand")
def softmax_down_the_columns(logits, targets, ignore=-1):
    """Your columns sum to 1, but your rows do not. Print both sums of your probabilities: which axis holds the tokens the model chooses from?"""
    kept = targets != ignore
    if not kept.any():
        return 0.0
    rows = logits[kept] - logits[kept].max(axis=0)
    return (np.log(np.exp(rows).sum(axis=0))[targets[kept]] - rows[np.arange(len(rows)), targets[kept]]).mean()


@misconception(step="cross_entropy", caught_by="cross_entropy-ignored", family="padding counts")
def padding_set_to_zero(logits, targets, ignore=-1):
    """A padded row adds to your loss, too. Print your loss of a row of padding: is it 0?"""
    kept = targets != ignore
    rows = np.where(kept[..., None], logits, 0.0)
    rows = rows - rows.max(axis=-1, keepdims=True)
    prices = np.log(np.exp(rows).sum(axis=-1)) - np.take_along_axis(rows, np.where(kept, targets, 0)[..., None], -1)[..., 0]
    return prices.sum() / kept.sum() if kept.any() else 0.0


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-by_hand")
def through_softmax_twice(logits, targets, ignore=-1):
    """You go back through softmax twice. Print a row of your gradient and its sum: is it 0?"""
    kept = (targets != ignore)[..., None]
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares = shares / shares.sum(axis=-1, keepdims=True)
    pushed = shares - (targets[..., None] == np.arange(logits.shape[-1]))
    return kept * pushed * shares * (1 - shares) / max(kept.sum(), 1)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-thousands")
def each_text_by_itself(logits, targets, ignore=-1):
    """You divide by the number of targets in a text. Print that for a batch of two, and how many targets there are in all: which of them is the loss the mean of?"""
    kept = (targets != ignore)[..., None]
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares = shares / shares.sum(axis=-1, keepdims=True)
    return kept * (shares - (targets[..., None] == np.arange(logits.shape[-1]))) / np.maximum(kept.sum(axis=-2, keepdims=True), 1)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def centred_for_normed(d_output, x, gamma, eps=1e-5):
    """The factor in front of your last mean is not normalised yet. Print it in the first check: is it -3/4, -3/4, 3/4, 3/4?"""
    root = np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    centred = x - x.mean(axis=-1, keepdims=True)
    normed, g, over = centred / root, gamma * d_output, tuple(range(x.ndim - 1))
    d_x = (g - g.mean(axis=-1, keepdims=True) - centred * (g * normed).mean(axis=-1, keepdims=True)) / root
    return d_x, (d_output * normed).sum(axis=over), d_output.sum(axis=over)


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-by_hand")
def sum_of_the_sizes(gradients, max_norm):
    """You sum absolute values without squares. Print your length for 3 and 4: is it 5 or 7?"""
    size = sum(float(np.abs(array).sum()) for array in gradients)
    return [array * (max_norm / size if size > max_norm else 1.0) for array in gradients]


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-drawn", family="another norm")
def another_norm_of_a_matrix(gradients, max_norm):
    """For a matrix you take a different norm. Print your length of np.eye(2) alone: is it the root of 2?"""
    sizes = [np.linalg.norm(array, 2) if array.ndim == 2 else np.linalg.norm(array.ravel()) for array in gradients]
    size = math.hypot(*sizes)
    return [array * (max_norm / size if size > max_norm else 1.0) for array in gradients]


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-drawn", family="another norm")
def norm_of_the_whole_array(gradients, max_norm):
    """For a matrix you take a different norm. Print your length of np.eye(2) alone: is it the root of 2?"""
    size = math.hypot(*(np.linalg.norm(array, 2) for array in gradients))
    return [array * (max_norm / size if size > max_norm else 1.0) for array in gradients]


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-drawn")
def long_arrays_alone_are_shortened(gradients, max_norm):
    """You do not scale arrays that are short by themselves. Print your factor for each array: is it the same for all?"""
    size = math.sqrt(sum(float(np.sum(array**2)) for array in gradients))
    if size <= max_norm:
        return list(gradients)
    return [array * max_norm / size if np.sum(array**2) > max_norm**2 else array for array in gradients]


@misconception(step="adamw_update", caught_by="adamw_update-second_step")
def second_moment_never_falls(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your second moment never gets smaller. Print v before and after a step without any gradient: what fraction of the old one should you keep?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, np.maximum(v, beta_2 * v + (1 - beta_2) * gradient**2)
    step = m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps)
    return w - learning_rate * (step + weight_decay * w), m, v


@misconception(step="learning_rate", caught_by="learning_rate-on_the_way_up")
def warm_up_never_below_the_floor(step, peak, warmup, total, floor=0.0):
    """Your warm-up never goes below the floor. Print the rates of steps 0 to 3 for a peak of 2, a warm-up of 4 and a floor of 1: does the formula of the warm-up have a floor?"""
    if step < warmup:
        return max(floor, peak * (step + 1) / warmup)
    part = min(1.0, (step - warmup) / (total - warmup))
    return floor + (peak - floor) * (1 + math.cos(math.pi * part)) / 2


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_k")
def zero_for_a_logit_that_is_cut(logits, temperature=1.0, top_k=None, top_p=None):
    """A logit of 0 does not cut a token. Print the exponential of what you write into the entries that you cut: is it 0?"""
    if temperature == 0:
        return np.eye(len(logits))[np.argmax(logits)]
    scores = logits / temperature
    if top_k is not None:
        scores[np.argsort(-scores, kind="stable")[top_k:]] = 0.0
    shares = np.exp(scores - scores.max())
    shares = shares / shares.sum()
    order = np.argsort(-shares, kind="stable")
    if top_p is not None:
        shares[order[np.searchsorted(np.cumsum(shares[order]), top_p) + 1 :]] = 0.0
    return shares / shares.sum()


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-inputs_unchanged")
def exponentials_of_seven_hundred_at_most(logits, temperature=1.0, top_k=None, top_p=None):
    """You treat all logits above 700 as equal. Print your probabilities for the logits 3000 and 3001: should they be equal?"""
    if temperature == 0:
        return np.eye(len(logits))[np.argmax(logits)]
    scores = logits / temperature
    shares = np.exp(np.minimum(scores, 700.0))
    shares = shares / max(shares.sum(), 1e-300)
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        shares[order[top_k:]] = 0.0
        shares = shares / shares.sum()
    if top_p is not None:
        shares[order[np.searchsorted(np.cumsum(shares[order]), top_p) + 1 :]] = 0.0
    return shares / max(shares.sum(), 1e-300)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_k", family="higher index")
def higher_index_throughout(logits, temperature=1.0, top_k=None, top_p=None):
    """Of two equals the later one comes first in your order. Print the indices in the order in which you keep them: which of the two does the docstring name?"""
    if temperature == 0:
        return np.eye(len(logits))[np.argmax(logits)]
    scores = logits / temperature
    shares = np.exp(scores - scores.max())
    shares = shares / shares.sum()
    order = np.argsort(logits, kind="stable")[::-1]
    if top_k is not None:
        shares[order[top_k:]] = 0.0
        shares = shares / shares.sum()
    if top_p is not None:
        shares[order[np.searchsorted(np.cumsum(shares[order]), top_p) + 1 :]] = 0.0
    return shares / shares.sum()


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-drawn")
def top_k_of_one_for_none(logits, temperature=1.0, top_k=None, top_p=None):
    """For a top_k of 1 you keep all. Print how many of your probabilities are above 0 then: how many should there be?"""
    if temperature == 0:
        return np.eye(len(logits))[np.argmax(logits)]
    scores = logits / temperature
    shares = np.exp(scores - scores.max())
    shares = shares / shares.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None and top_k > 1:
        shares[order[top_k:]] = 0.0
        shares = shares / shares.sum()
    if top_p is not None:
        shares[order[np.searchsorted(np.cumsum(shares[order]), top_p) + 1 :]] = 0.0
    return shares / shares.sum()


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_p", family="crossing token")
def kept_below_p_alone(logits, temperature=1.0, top_k=None, top_p=None):
    """You keep the tokens whose sum is below top_p, without the one that reaches it. Print the sum of what you keep, before you divide: does it reach 0.6?"""
    if temperature == 0:
        return np.eye(len(logits))[np.argmax(logits)]
    scores = logits / temperature
    shares = np.exp(scores - scores.max())
    shares = shares / shares.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        shares[order[top_k:]] = 0.0
        shares = shares / shares.sum()
    if top_p is not None:
        shares[order[max(1, np.count_nonzero(np.cumsum(shares[order]) < top_p)) :]] = 0.0
    return shares / shares.sum()


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-equals")
def equals_in_any_order(logits, temperature=1.0, top_k=None, top_p=None):
    """Of equal ones you keep any, as np.argpartition does. Print which tokens you keep of 0, 0, 1, 1 for every top_k: which of two equal ones has the lower index?"""
    if temperature == 0:
        return np.eye(len(logits))[np.argmax(logits)]
    shares = np.exp((logits - logits.max()) / temperature)
    if top_k is not None:
        kept = np.zeros(len(shares))
        best = np.argpartition(-shares, top_k - 1)[:top_k]
        kept[best] = shares[best]
        shares = kept
    shares = shares / shares.sum()
    if top_p is not None:
        order = np.argsort(-shares, kind="stable")
        shares[order[np.searchsorted(np.cumsum(shares[order]), top_p) + 1 :]] = 0.0
    return shares / shares.sum()


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-equals", family="unstable sort")
def equals_sorted_in_any_order(logits, temperature=1.0, top_k=None, top_p=None):
    """Few equal tokens are right, many are not. Print the order in which you go through forty tokens with logits of 0 and 1: which kind of np.argsort keeps equal ones in their order?"""
    if temperature == 0:
        return np.eye(len(logits))[np.argmax(logits)]
    shares = np.exp((logits - logits.max()) / temperature)
    order = np.argsort(-shares)
    if top_k is not None:
        shares[order[top_k:]] = 0.0
    shares = shares / shares.sum()
    if top_p is not None:
        shares[order[np.searchsorted(np.cumsum(shares[order]), top_p) + 1 :]] = 0.0
    return shares / shares.sum()


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-equals", family="unstable sort")
def equals_sorted_anew_in_any_order(logits, temperature=1.0, top_k=None, top_p=None):
    """Few equal tokens are right, many are not. Print the order in which you go through forty tokens with logits of 0 and 1: which kind of np.argsort keeps equal ones in their order?"""
    if temperature == 0:
        return np.eye(len(logits))[np.argmax(logits)]
    shares = np.exp((logits - logits.max()) / temperature)
    if top_k is not None:
        shares[np.argsort(-shares)[top_k:]] = 0.0
    shares = shares / shares.sum()
    if top_p is not None:
        order = np.argsort(-shares)
        shares[order[np.searchsorted(np.cumsum(shares[order]), top_p) + 1 :]] = 0.0
    return shares / shares.sum()


# Questions that a value answers


@misconception(step="loss_of_four", caught_by="loss_of_four-answer")
def loss_of_the_whole_vocabulary():
    """This is the loss of a model that knows nothing. Print the loss of one row in which four logits are 0 and all others -1000: what is the probability of the target?"""
    return math.log(50_000)


@misconception(step="loss_of_four", caught_by="loss_of_four-answer")
def probability_for_a_price():
    """This is the probability of the target. Print the loss of a row with four equal logits: what does the loss do with a probability?"""
    return 0.25


@misconception(step="loss_of_four", caught_by="loss_of_four-answer")
def loss_in_bits():
    """This is the loss in bits. Print the loss of a row with four equal logits: which logarithm does your function take?"""
    return 2


@misconception(step="numbers_kept", caught_by="numbers_kept-answer")
def one_moment():
    """One thing is missing. Print what your adamw_update returns: how many arrays does the next call need?"""
    return 2_000_000


@misconception(step="numbers_kept", caught_by="numbers_kept-answer")
def gradient_is_kept():
    """One array in your sum is computed again at every step. Print the arguments of your adamw_update: which of them did the last call not return?"""
    return 4_000_000


@misconception(step="numbers_kept", caught_by="numbers_kept-answer")
def weights_alone():
    """This is the model. Print what your adamw_update returns: what else does the next call need?"""
    return 1_000_000


@misconception(step="largest_norm", caught_by="largest_norm-answer")
def each_by_its_own_norm():
    """The norm goes over all gradients together. Print what becomes of a gradient with the norm 3: is it as it was?"""
    return 6.5


@misconception(step="largest_norm", caught_by="largest_norm-answer")
def norms_added_up():
    """Squares are added, not norms. Print the norm of two arrays that hold one number each, 3 and 4: is it 7?"""
    return 12 * 6.5 / 19


@misconception(step="largest_norm", caught_by="largest_norm-answer")
def nothing_is_clipped():
    """These gradients are too long together. Print the norm over all three: is it below 6.5?"""
    return 12


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_p")
def one_more_until_it_is_reached(logits, temperature=1.0, top_k=None, top_p=None):
    """For a top_p of 1 your loop runs out of tokens. Print your sum after the last of ten equal ones, with all its digits: has it reached 1?"""
    if temperature == 0:
        return np.eye(len(logits))[np.argmax(logits)]
    shares = np.exp((logits - logits.max()) / temperature)
    shares = shares / shares.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        shares[order[top_k:]] = 0.0
        shares = shares / shares.sum()
    if top_p is not None:
        kept, total, i = np.zeros(len(shares)), 0.0, 0
        while total < top_p:
            kept[order[i]] = shares[order[i]]
            total += shares[order[i]]
            i += 1
        shares = kept / kept.sum()
    return shares


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-drawn")
def nearly_zero_is_zero(logits, temperature=1.0, top_k=None, top_p=None):
    """A low temperature is no temperature to you. Print what you return at 0.05 for the logits 0 and 0.05: by which factor is the second one more likely?"""
    if temperature < 0.1:
        return np.eye(len(logits))[np.argmax(logits)]
    shares = np.exp((logits - logits.max()) / temperature)
    shares = shares / shares.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        shares[order[top_k:]] = 0.0
        shares = shares / shares.sum()
    if top_p is not None:
        shares[order[np.searchsorted(np.cumsum(shares[order]), top_p) + 1 :]] = 0.0
    return shares / shares.sum()


@misconception(step="cross_entropy", caught_by="cross_entropy-any_padding", family="padding looked up")
def ignored_targets_looked_up(logits, targets, ignore=-1):
    """You use ignored targets as indices. Print the targets as you look them up, for an ignore of 99: is each of them a token?"""
    z = logits - logits.max(axis=-1, keepdims=True)
    losses = np.log(np.exp(z).sum(axis=-1)) - np.take_along_axis(z, targets[..., None], axis=-1)[..., 0]
    kept = targets != ignore
    return losses[kept].mean() if kept.any() else 0.0


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-any_batch", family="padding looked up")
def rows_of_the_identity_for_padding(logits, targets, ignore=-1):
    """You make a one-hot row for ignored targets, too. Print the targets as you use them, for an ignore of 99: is each of them a token?"""
    kept = targets != ignore
    hot = np.eye(logits.shape[-1])[targets]
    return (softmax(logits) - hot) * kept[..., None] / max(kept.sum(), 1)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-by_hand")
def targets_choose_rows(logits, targets, ignore=-1):
    """You use targets to choose rows. Print the shape of the part that you subtract 1 from: is it one entry for each target?"""
    z = np.reshape(logits, (-1, logits.shape[-1]))
    p, t = np.array(softmax(z)), np.ravel(targets)
    kept = t != ignore
    p[t[kept]] -= 1.0
    p[~kept] = 0.0
    return (p / max(kept.sum(), 1)).reshape(logits.shape)


@misconception(step="linear_backward", caught_by="linear_backward-batch_of_two", family="outer product")
def outer_product_becomes_a_number(d_output, x, W):
    """For a single token your product of two vectors is a number, or fails. Print the shapes of both and of W: which entry of W joins which feature to which output?"""
    d, rows = (d_output, x) if x.ndim < 3 else (d_output.reshape(-1, d_output.shape[-1]), x.reshape(-1, x.shape[-1]))
    return d_output @ W.T, rows.T @ d, d.sum(axis=0) if d.ndim > 1 else d.copy()


@misconception(step="linear_backward", caught_by="linear_backward-by_hand")
def bias_with_an_axis_of_one(d_output, x, W):
    """Your d_b has two axes. Print its shape and that of the bias: which argument of sum keeps the other one?"""
    d, rows = d_output.reshape(-1, d_output.shape[-1]), x.reshape(-1, x.shape[-1])
    return d_output @ W.T, rows.T @ d, d.sum(axis=0, keepdims=True)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def normed_without_eps(d_output, x, gamma, eps=1e-5):
    """Only one of your roots has eps in it. Print what you divide the centred features by, and what you divide d_x by: are they equal?"""
    g = gamma * d_output
    hat = (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)
    root = np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    lead = tuple(range(x.ndim - 1))
    d_x = (g - g.mean(axis=-1, keepdims=True) - hat * (g * hat).mean(axis=-1, keepdims=True)) / root
    return d_x, (d_output * hat).sum(axis=lead), d_output.sum(axis=lead)


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-by_hand")
def divided_without_eps_at_the_end(d_output, x, gamma, eps=1e-5):
    """Your normalised features are right, but the root you divide d_x by lacks something. Print both roots: in which one is eps?"""
    g = gamma * d_output
    hat = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    lead = tuple(range(x.ndim - 1))
    d_x = (g - g.mean(axis=-1, keepdims=True) - hat * (g * hat).mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)
    return d_x, (d_output * hat).sum(axis=lead), d_output.sum(axis=lead)


@misconception(step="gelu_backward", caught_by="gelu_backward-by_hand", family="product rule without brackets")
def second_term_without_the_gradient(d_output, x):
    """Your second term does not depend on d_output. Print your result for a d_output of zeros: is it 0 everywhere?"""
    share = (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))) / 2
    return d_output * share + x * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


@misconception(step="gelu_backward", caught_by="gelu_backward-by_hand", family="product rule without brackets")
def first_term_without_the_gradient(d_output, x):
    """Your first term does not depend on d_output. Print your result for a d_output of zeros: which part of the slope is left?"""
    share = (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))) / 2
    return share + d_output * x * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


@misconception(step="embedding_backward", caught_by="embedding_backward-by_hand")
def neighbours_alone_are_added(d_output, tokens, vocabulary_size):
    """You add the gradients of equal neighbours, but not of equal tokens further apart. Print what you write into row 2, each time: what becomes of the first?"""
    tokens, d = np.ravel(tokens), np.reshape(d_output, (-1, np.shape(d_output)[-1]))
    starts = np.flatnonzero(np.concatenate([[True], tokens[1:] != tokens[:-1]]))
    d_table = np.zeros((vocabulary_size, d.shape[1]))
    d_table[tokens[starts]] = np.add.reduceat(d, starts, axis=0)
    return d_table


@misconception(step="adamw_update", caught_by="adamw_update-by_hand", family="one beta for both")
def both_moments_with_beta_1(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your second moment takes too much of the new square. Print v after the first step, for a gradient of 1: which beta is it for?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_1 * v + (1 - beta_1) * gradient**2
    step = m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps)
    return w - learning_rate * step - learning_rate * weight_decay * w, m, v


@misconception(step="adamw_update", caught_by="adamw_update-by_hand", family="one beta for both")
def both_moments_with_beta_2(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your first moment takes too little of the new gradient. Print m after the first step, for a gradient of 1: which beta is it for?"""
    m, v = beta_2 * m + (1 - beta_2) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    step = m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps)
    return w - learning_rate * step - learning_rate * weight_decay * w, m, v


@misconception(step="adamw_update", caught_by="adamw_update-by_hand", family="one beta for both")
def both_corrected_with_beta_1(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """Your moments are right, but the second one is corrected by too little. Print the number that you divide v by at step 1: is it the share of the first square in v?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    step = m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_1**t)) + eps)
    return w - learning_rate * step - learning_rate * weight_decay * w, m, v


@misconception(step="learning_rate", caught_by="learning_rate-comes_down")
def warm_up_computed_without_one(step, peak, warmup, total, floor=0.0):
    """Without a warm-up your function divides by 0. Print step and warmup in the call that stops: is the rate of the warm-up needed there?"""
    if step >= total:
        return floor
    rising = peak * (step + 1) / warmup
    falling = floor + (peak - floor) / 2 * (1 + math.cos(math.pi * max(step - warmup, 0) / (total - warmup)))
    return rising if step < warmup else falling


@misconception(step="learning_rate", caught_by="learning_rate-comes_down")
def zero_from_the_end_on(step, peak, warmup, total, floor=0.0):
    """From step = total on your rate is 0. Print it there for a floor of 1: how low may the rate get?"""
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total:
        return 0.0
    return floor + (peak - floor) / 2 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-as_measured")
def divided_by_each_text(logits, targets, ignore=-1):
    """You divide each text by its own number of targets. Print the gradient of a row in a text with much padding, and of the same row in a full text: should one count more?"""
    kept = targets != ignore
    d_logits = softmax(logits) - (np.arange(logits.shape[-1]) == targets[..., None])
    texts = kept.size // kept.shape[-1]
    return d_logits * kept[..., None] / np.maximum(kept.sum(axis=-1), 1)[..., None, None] / texts


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-inputs_unchanged")
def count_kept_by_the_shape(logits, targets, ignore=-1):
    """Targets with more padding than the ones before are divided by the earlier number. Call your function with the targets 0, 1, then with 0, -1, and print what you divide by: whose targets are counted?"""
    kept = targets != ignore
    global counts_of_shapes
    if "counts_of_shapes" not in globals():
        counts_of_shapes = {}
    n = counts_of_shapes.setdefault((logits.shape, ignore), max(int(kept.sum()), 1))
    return (softmax(logits) - (np.arange(logits.shape[-1]) == targets[..., None])) * kept[..., None] / n


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-any_batch")
def square_of_the_mean_taken_off(d_output, x, gamma, eps=1e-5):
    """Large tokens whose features are all equal come out as NaN, or much too large. Print your variance of seven times 1000.1: can a mean of squared distances be anything but 0 there?"""
    mean = x.mean(axis=-1, keepdims=True)
    root = np.sqrt((x * x).mean(axis=-1, keepdims=True) - mean * mean + eps)
    normed, g = (x - mean) / root, d_output * gamma
    d_x = (g - g.mean(axis=-1, keepdims=True) - normed * (g * normed).mean(axis=-1, keepdims=True)) / root
    axes = tuple(range(x.ndim - 1))
    return d_x, (d_output * normed).sum(axis=axes), d_output.sum(axis=axes)


@misconception(step="gelu_backward", caught_by="gelu_backward-as_measured")
def slope_cut_off_too_early(d_output, x):
    """Beyond 3.5 and below -3.5 your slope is exactly 1 or 0. Print the slope that the formula gives at 3.6, with six digits: how far from 1 is it?"""
    bell = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    slope = (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))) / 2 + x * bell
    return d_output * np.where(x > 3.5, 1.0, np.where(x < -3.5, 0.0, slope))


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-drawn")
def equal_sums_once(gradients, max_norm):
    """Two equal gradients count as one. Print the squares that you add up for two arrays of 3: how many are there?"""
    norm = math.sqrt(sum({float(np.sum(gradient**2)) for gradient in gradients}))
    return [gradient * (max_norm / norm if norm > max_norm else 1.0) for gradient in gradients]


@misconception(step="clip_by_global_norm", caught_by="clip_by_global_norm-drawn")
def tiny_taken_for_nothing(gradients, max_norm):
    """Tiny gradients become 0. Multiply the first check's by a millionth, max_norm, too, and print your result: which rule asks for zeros?"""
    norm = math.sqrt(sum(float(np.sum(gradient**2)) for gradient in gradients))
    if norm < 1e-5:
        return [np.zeros(gradient.shape) for gradient in gradients]
    return [gradient * (max_norm / norm if norm > max_norm else 1.0) for gradient in gradients]


@misconception(step="adamw_update", caught_by="adamw_update-drawn")
def correction_ends_after_a_while(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """After many steps you leave the correction out. Print 1 - 0.999 ** 200: is it 1 yet?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    one, two = (1 - beta_1**t, 1 - beta_2**t) if t <= 100 else (1.0, 1.0)
    return w - learning_rate * (m / one / (np.sqrt(v / two) + eps) + weight_decay * w), m, v


@misconception(step="adamw_update", caught_by="adamw_update-second_step")
def no_gradient_no_step(w, gradient, m, v, t, learning_rate, beta_1=0.9, beta_2=0.999, eps=1e-8, weight_decay=0.01):
    """A weight whose gradient is 0 takes no step. Print its corrected first moment in the second check: is that 0, too?"""
    m, v = beta_1 * m + (1 - beta_1) * gradient, beta_2 * v + (1 - beta_2) * gradient**2
    step = m / (1 - beta_1**t) / (np.sqrt(v / (1 - beta_2**t)) + eps)
    return w - learning_rate * (np.where(gradient == 0, 0.0, step) + weight_decay * w), m, v


@misconception(step="layer_norm_backward", caught_by="layer_norm_backward-any_batch")
def single_feature_let_through(d_output, x, gamma, eps=1e-5):
    """A token with a single feature gets a gradient. Print what layer_norm returns for the feature 3, and for 4: does the loss change with it?"""
    mean, root = x.mean(axis=-1, keepdims=True), np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    normed, g, axes = (x - mean) / root, d_output * gamma, tuple(range(x.ndim - 1))
    d_x = g / root
    if x.shape[-1] > 1:
        d_x = (g - g.mean(axis=-1, keepdims=True) - normed * (g * normed).mean(axis=-1, keepdims=True)) / root
    return d_x, (d_output * normed).sum(axis=axes), d_output.sum(axis=axes)


@misconception(step="cross_entropy_backward", caught_by="cross_entropy_backward-ignored", family="padding looked up")
def padding_pushed_to_the_last_token(logits, targets, ignore=-1):
    """Rows of padding get a gradient, and the last token of the vocabulary is pushed up there. Print what you look up for a target of -1: which row does NumPy take?"""
    rows = np.eye(logits.shape[-1])[targets]
    return (softmax(logits) - rows) / max((targets != ignore).sum(), 1)


@misconception(step="next_token_probabilities", caught_by="next_token_probabilities-top_p")
def dropped_from_the_small_end(logits, temperature=1.0, top_k=None, top_p=None):
    """You add up from the smallest and drop those below 1 - top_p. Print what you keep of four equal tokens for a top_p of 1/2: do the first two of them reach it?"""
    if temperature == 0:
        return np.eye(len(logits))[np.argmax(logits)]
    shares = softmax(logits / temperature)
    if top_k is not None:
        shares[np.argsort(-shares, kind="stable")[top_k:]] = 0.0
        shares = shares / shares.sum()
    if top_p is not None:
        upwards = np.argsort(shares, kind="stable")
        shares[upwards[np.cumsum(shares[upwards]) < 1 - top_p]] = 0.0
    return shares / shares.sum()
