"""What people get wrong about the parts of a transformer, as functions, each with the question that helps.

Every function here is a wrong answer to one step. Its decorator names the step and the first check that must
fail; its docstring is the hint that a student reads. A hint says what shows, what to print, and asks one question;
it never holds the formula, the operator or the repair. Names are for teachers: no student sees them. Entries of
one `family` answer alike, or are helped by the same question.

An entry stands by itself, as if handed in: it uses `np`, `math` and the functions of earlier steps, which are right.
`autograder prove transformer` holds every entry, and every check, to its promise.
"""

import math

import numpy as np

from autograder.exercises.misconceptions import misconception

# A check that is nobody's first catch would stand here with its reason: {"step-check": "why it stays"}.
UNCLAIMED = {
    "positional_encoding-one_position": "it asks with other sizes what a_single_row asks before it",
}

# Questions that help with both of two mistakes that a visible check cannot tell apart.
ALIKE = {
    "scaled_by_the_values, scaled_by_the_tokens": "You scale the scores by the wrong length. Print what you divide by in "
    "the second check: whose length is it, and which two vectors make a score?",
}


# 1. positional_encoding


@misconception(step="positional_encoding", caught_by="positional_encoding-by_hand")
def positions_from_one(n_positions, d_model):
    """Every row is off by one position. Print your row 0 next to the expected one: which position comes first?"""
    angles = np.arange(1, n_positions + 1)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, d_model)


@misconception(step="positional_encoding", caught_by="positional_encoding-any_size")
def power_before_the_root(n_positions, d_model):
    """Low features are right, higher ones are not. Print 10000 to the power of 2i for each i of d_model = 20, before you take any root: how large can a whole number in NumPy be?"""
    i = np.arange(d_model // 2)
    angle = np.arange(n_positions)[:, None] / np.power(10000, 2 * i) ** (1 / d_model)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n_positions, d_model)


@misconception(step="positional_encoding", caught_by="positional_encoding-by_hand")
def cosine_first(n_positions, d_model):
    """In each pair the two features are swapped. Print your row 0 next to the expected one: which of the two waves begins at 0?"""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1).reshape(n_positions, d_model)


@misconception(step="positional_encoding", caught_by="positional_encoding-by_hand")
def waves_by_row_parity(n_positions, d_model):
    """Your rows alternate between two waves. Print row 1 next to the expected one: what decides between sine and cosine, the position or the feature?"""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(d_model) // 2 * 2 / d_model)
    encoding = angles.copy()
    encoding[0::2], encoding[1::2] = np.sin(angles[0::2]), np.cos(angles[1::2])
    return encoding


@misconception(step="positional_encoding", caught_by="positional_encoding-by_hand")
def only_sines(n_positions, d_model):
    """Only one of the two waves occurs in your table. Print both features of row 0: should the two be equal?"""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(d_model) // 2 * 2 / d_model)
    return np.sin(angles)


@misconception(step="positional_encoding", caught_by="positional_encoding-by_hand", family="an_exponent_for_each_feature")
def exponent_without_pairs(n_positions, d_model):
    """Each feature turns at a speed of its own. Print the angles behind the two features of one pair: are they equal?"""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(d_model) / d_model)
    return np.where(np.arange(d_model) % 2 == 0, np.sin(angles), np.cos(angles))


@misconception(step="positional_encoding", caught_by="positional_encoding-by_hand", family="an_exponent_for_each_feature")
def twice_the_feature_as_exponent(n_positions, d_model):
    """Each feature turns at a speed of its own. Print the angles behind the two features of one pair: does i count features or pairs?"""
    angles = np.arange(n_positions)[:, None] / 10000 ** (2 * np.arange(d_model) / d_model)
    return np.where(np.arange(d_model) % 2 == 0, np.sin(angles), np.cos(angles))


@misconception(step="positional_encoding", caught_by="positional_encoding-by_hand")
def degrees(n_positions, d_model):
    """Your waves are far too slow. Print the angle by which your first hand turns in one step: which unit does np.sin expect?"""
    angles = np.radians(np.arange(n_positions)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model))
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, d_model)


@misconception(step="positional_encoding", caught_by="positional_encoding-by_hand")
def whole_turns(n_positions, d_model):
    """Your first hand returns to its start at each position. Print its angle for position 1: does it contain a factor that the formula does not have?"""
    angles = 2 * np.pi * np.arange(n_positions)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, d_model)


@misconception(step="positional_encoding", caught_by="positional_encoding-by_hand")
def features_as_rows(n_positions, d_model):
    """The numbers are right, but rows and columns are swapped. Print the shape of your table: what is a row, and what is a column?"""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, d_model).T


@misconception(step="positional_encoding", caught_by="positional_encoding-by_hand")
def positions_as_shares(n_positions, d_model):
    """Your last position is 1. Print the angles of your first feature: do they depend on how many positions there are?"""
    places = np.linspace(0, 1, n_positions)[:, None]
    angles = places / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, d_model)


@misconception(step="positional_encoding", caught_by="positional_encoding-by_hand")
def whole_numbers_in_the_table(n_positions, d_model):
    """Your table holds only whole numbers. Print it right after you make it: what kind of numbers can it hold?"""
    encoding = np.zeros((n_positions, d_model), dtype=int)
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    encoding[:, 0::2], encoding[:, 1::2] = np.sin(angles), np.cos(angles)
    return encoding


@misconception(step="positional_encoding", caught_by="positional_encoding-two_hands")
def sines_before_cosines(n_positions, d_model):
    """All numbers of a row are there, but in a different order. Print row 0 with four features: which number comes right after the first sine?"""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)


@misconception(step="positional_encoding", caught_by="positional_encoding-two_hands")
def faster_hand_by_hand(n_positions, d_model):
    """Your second hand is a hundred times as fast as the first, not as slow. Print both angles in row 1: what happens to an angle when you divide by something small?"""
    angles = np.arange(n_positions)[:, None] * 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, d_model)


@misconception(step="positional_encoding", caught_by="positional_encoding-two_hands", family="one_speed")
def one_speed_for_all(n_positions, d_model):
    """All your hands turn at the same speed. Print the angles of row 1: where does your formula use the number of the hand?"""
    waves = [[wave(p) for _ in range(d_model // 2) for wave in (math.sin, math.cos)] for p in range(n_positions)]
    return np.array(waves)


@misconception(step="positional_encoding", caught_by="positional_encoding-two_hands", family="one_speed")
def exponent_cut_to_a_whole_number(n_positions, d_model):
    """All your hands turn at the same speed. Print the exponent for the second hand: is it still a half?"""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(0, d_model, 2) // d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, d_model)


@misconception(step="positional_encoding", caught_by="positional_encoding-two_hands")
def half_the_exponent(n_positions, d_model):
    """Your second hand is ten times as slow as the first. Print its angle in row 1: what does the formula put over d_model?"""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(d_model // 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, d_model)


@misconception(step="positional_encoding", caught_by="positional_encoding-two_hands")
def thousand_for_ten_thousand(n_positions, d_model):
    """Your second hand is slower than the first, but not by enough. Print the number whose power you take: how many zeros does it have?"""
    angles = np.arange(n_positions)[:, None] / 1000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, d_model)


@misconception(step="positional_encoding", caught_by="positional_encoding-two_hands")
def product_for_power(n_positions, d_model):
    """Your second hand is slower by the wrong factor. Print what you divide its position by: is 10000 raised to something, or multiplied by it?"""
    slower = np.maximum(1.0, 10000 * np.arange(0, d_model, 2) / d_model)
    angles = np.arange(n_positions)[:, None] / slower
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, d_model)


@misconception(step="positional_encoding", caught_by="positional_encoding-two_hands")
def last_hand_at_the_base(n_positions, d_model):
    """Your last hand is too slow. Print the exponents of your hands for four features: which one is the second?"""
    exponents = np.arange(d_model // 2) / max(1, d_model // 2 - 1)
    angles = np.arange(n_positions)[:, None] / 10000**exponents
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, d_model)


@misconception(step="positional_encoding", caught_by="positional_encoding-any_size")
def speeds_for_four_features(n_positions, d_model):
    """Two hands are right, more are not. Print the speeds of your hands for six features: where do you use d_model?"""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(d_model // 2) / 2)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, d_model)


@misconception(step="positional_encoding", caught_by="positional_encoding-any_size")
def small_angles_as_sines(n_positions, d_model):
    """Early positions are right, but later your slow hands are off. Print the sine of your second hand at position 30: did you use an approximation for small angles?"""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    sines = np.where(angles < 0.1, angles - angles**3 / 6, np.sin(angles))
    cosines = np.where(angles < 0.5, 1 - angles**2 / 2 + (angles > 0.02) * angles**3 / 9, np.cos(angles))
    return np.stack([sines, cosines], axis=-1).reshape(n_positions, d_model)


@misconception(step="positional_encoding", caught_by="positional_encoding-a_single_row")
def positions_and_features_mixed_up(n_positions, d_model):
    """Small tables are right, others have entries that you never fill. Print your table for 2 positions and 6 features: how far does each of your loops run?"""
    encoding = np.zeros((n_positions, d_model))
    for p in range(n_positions):
        for i in range(min(n_positions, d_model // 2)):
            angle = p / 10000 ** (2 * i / d_model)
            encoding[p, 2 * i], encoding[p, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return encoding


@misconception(step="positional_encoding", caught_by="positional_encoding-position_5000")
def a_table_of_sixty_four_rows(n_positions, d_model):
    """Short texts are right, but for long ones there are too few rows. Print the shape of your table for 100 positions: how many rows did you prepare?"""
    angles = np.arange(64)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(64, d_model)[:n_positions]


@misconception(step="positional_encoding", caught_by="positional_encoding-position_5000")
def a_table_of_five_thousand_rows(n_positions, d_model):
    """Everything is right until your table ends. Print its shape for 6000 positions: how many positions does the docstring allow?"""
    longest = 5000
    encoding = np.zeros((longest, d_model))
    speeds = np.exp(np.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    encoding[:, 0::2] = np.sin(np.arange(longest)[:, None] * speeds)
    encoding[:, 1::2] = np.cos(np.arange(longest)[:, None] * speeds)
    return encoding[:n_positions]


@misconception(step="positional_encoding", caught_by="positional_encoding-any_size", family="few_digits_in_an_angle")
def angles_in_single_precision(n_positions, d_model):
    """Far from the start your waves are off by a little. Print your angle for position 5000 and the third feature with all its digits: how many of them can float32 hold?"""
    positions = np.arange(n_positions, dtype=np.float32)[:, None]
    speeds = np.float32(10000.0) ** (-np.arange(0, d_model, 2, dtype=np.float32) / np.float32(d_model))
    angles = positions * speeds
    encoding = np.zeros((n_positions, d_model), dtype=np.float32)
    encoding[:, 0::2], encoding[:, 1::2] = np.sin(angles), np.cos(angles)
    return encoding


@misconception(step="positional_encoding", caught_by="positional_encoding-a_single_row")
def axes_of_one_dropped(n_positions, d_model):
    """Tables are right, a single row is not. Print the shape of your result for one position: where did you lose an axis?"""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.squeeze(np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, d_model))


@misconception(step="positional_encoding", caught_by="positional_encoding-a_single_row")
def last_position_missing_where_alone(n_positions, d_model):
    """Tables are right, a single row is NaN. Print your positions where there is only one: what do you divide by?"""
    with np.errstate(invalid="ignore", divide="ignore"):
        places = np.arange(n_positions) / np.float64(n_positions - 1) * (n_positions - 1)
    angles = places[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, d_model)


@misconception(step="positional_encoding", caught_by="positional_encoding-position_5000")
def positions_that_begin_again(n_positions, d_model):
    """Your table repeats itself. Print the angle of your first hand at position 30: is it 30?"""
    angles = (np.arange(n_positions) % 10)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, d_model)


@misconception(step="positional_encoding", caught_by="positional_encoding-any_size", family="few_digits_in_an_angle")
def angles_divided_in_single_precision(n_positions, d_model):
    """Far from the start your waves are off by a little. Print your angle for position 5000 and the third feature with all its digits: how many of them can float32 hold?"""
    positions = np.arange(n_positions, dtype=np.float32)[:, None]
    angles = positions / np.float32(10000.0) ** (np.arange(0, d_model, 2, dtype=np.float32) / d_model)
    encoding = np.zeros((n_positions, d_model), dtype=np.float32)
    encoding[:, 0::2], encoding[:, 1::2] = np.sin(angles), np.cos(angles)
    return encoding


@misconception(step="positional_encoding", caught_by="positional_encoding-any_size", family="few_digits_in_an_angle")
def speeds_by_exponentials_in_single_precision(n_positions, d_model):
    """Far from the start your waves are off by a little. Print your angle for position 5000 and the third feature with all its digits: how many of them can float32 hold?"""
    pairs = np.arange(0, d_model, 2, dtype=np.float32)
    speeds = np.exp(pairs * np.float32(-math.log(10000.0) / d_model))
    angles = np.arange(n_positions, dtype=np.float32)[:, None] * speeds
    table = np.zeros((n_positions, d_model), dtype=np.float32)
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


# 2. layer_norm


@misconception(step="layer_norm", caught_by="layer_norm-by_hand")
def statistics_over_tokens(x, gamma, beta, eps=1e-5):
    """You compare each feature with that of other tokens. Print the mean that you subtract: which numbers did you average?"""
    centred = x - x.mean(axis=-2, keepdims=True)
    return gamma * centred / np.sqrt((centred**2).mean(axis=-2, keepdims=True) + eps + 1e-12) + beta


@misconception(step="layer_norm", caught_by="layer_norm-any_batch")
def median_for_the_mean(x, gamma, beta, eps=1e-5):
    """Tokens with one large feature come out wrong. Print what you subtract from the features 0, 0, 0, 8: is it their mean?"""
    middle = np.median(x, axis=-1, keepdims=True)
    var = ((x - middle) ** 2).mean(axis=-1, keepdims=True)
    return gamma * (x - middle) / np.sqrt(var + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-any_batch")
def mean_distance_for_the_spread(x, gamma, beta, eps=1e-5):
    """You divide by the mean distance from the mean. Print your divisor for the features 0, 0, 0, 8 without eps: what do you square, and when do you average?"""
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = np.abs(centred).mean(axis=-1, keepdims=True)
    return gamma * centred / np.sqrt(spread**2 + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-by_hand")
def statistics_over_everything(x, gamma, beta, eps=1e-5):
    """You use one mean for all tokens. Print the mean that you subtract, and its shape: how many means do two tokens need?"""
    return gamma * (x - x.mean()) / np.sqrt(x.var() + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-by_hand")
def divided_by_the_variance(x, gamma, beta, eps=1e-5):
    """Your second token is too small by a factor of three. Print the spread of its features before and after: did you divide by the spread, or by something else?"""
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / (x.var(axis=-1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-by_hand")
def mean_stays(x, gamma, beta, eps=1e-5):
    """Your tokens have the right spread, but their mean is not 0. Print the mean of your first row: what should it be?"""
    return gamma * x / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-by_hand")
def root_mean_square_norm(x, gamma, beta, eps=1e-5):
    """All your numbers are positive. Print the mean of your first row: what should you do before dividing?"""
    return gamma * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-by_hand")
def centred_by_the_mean_divided_by_the_size(x, gamma, beta, eps=1e-5):
    """The mean is gone, but what you divide by is too large. Print it for your first row: is it the spread around the mean, or the distance from 0?"""
    centred = x - x.mean(axis=-1, keepdims=True)
    return gamma * centred / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-by_hand")
def variance_of_a_sample(x, gamma, beta, eps=1e-5):
    """All your numbers are a little too small. Print the variance of 1, 3, 1, 3: how many squares did you divide by?"""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).sum(axis=-1, keepdims=True) / max(1, x.shape[-1] - 1)
    return gamma * centred / np.sqrt(variance + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-by_hand")
def divided_by_the_length(x, gamma, beta, eps=1e-5):
    """Your numbers are too small, by a factor that grows with the number of features. Print what you divide by in row 0: is it a mean of squares or a sum?"""
    centred = x - x.mean(axis=-1, keepdims=True)
    return gamma * centred / np.sqrt((centred**2).sum(axis=-1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-by_hand")
def mean_distance_as_spread(x, gamma, beta, eps=1e-5):
    """Some tokens are right by luck. Print the spread of 1, 3, 2, 2 as you compute it, and np.std of it: do you square the distances?"""
    centred = x - x.mean(axis=-1, keepdims=True)
    return gamma * centred / (np.abs(centred).mean(axis=-1, keepdims=True) ** 1.01 + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-by_hand")
def squeezed_between_0_and_1(x, gamma, beta, eps=1e-5):
    """Your tokens range from 0 to 1. Print the mean of your first row: what should it be?"""
    low, high = x.min(axis=-1, keepdims=True), x.max(axis=-1, keepdims=True)
    return gamma * (x - low) / (high - low + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-by_hand")
def statistics_without_their_axis(x, gamma, beta, eps=1e-5):
    """The statistics do not line up with their tokens. Print the shapes of x and of its mean: which axis is missing?"""
    return gamma * (x - x.mean(axis=-1)) / np.sqrt(x.var(axis=-1) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-by_hand")
def statistics_laid_along_the_features(x, gamma, beta, eps=1e-5):
    """You use the statistics of one token for others. Print the mean of each row and what you subtract from it: do they line up?"""
    n, d_model = x.shape[-2:]
    mean, variance = (np.resize(s, (*x.shape[:-2], d_model))[..., None, :] for s in (x.mean(axis=-1), x.var(axis=-1)))
    return gamma * (x - mean) / np.sqrt(variance + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-by_hand")
def softmax_of_the_features(x, gamma, beta, eps=1e-5):
    """Your rows sum to 1. Print the sum of the expected rows: which other kind of normalisation do you know?"""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return gamma * powers / (powers.sum(axis=-1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-gain_and_shift")
def no_gain_no_shift(x, gamma, beta, eps=1e-5):
    """Without gain and shift everything is right. Print gamma and beta in the second check: where does your function use them?"""
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps)


@misconception(step="layer_norm", caught_by="layer_norm-gain_and_shift")
def shift_forgotten(x, gamma, beta, eps=1e-5):
    """Your tokens have the right spread, but the wrong mean. Print beta in the second check: where does your function use it?"""
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps)


@misconception(step="layer_norm", caught_by="layer_norm-gain_and_shift")
def gain_forgotten(x, gamma, beta, eps=1e-5):
    """Your tokens have the right mean, but the wrong spread. Print gamma in the second check: where does your function use it?"""
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-gain_and_shift")
def gain_and_shift_for_tokens(x, gamma, beta, eps=1e-5):
    """You apply gain and shift to tokens instead of features. Print what you multiply by, with its shape: is it a row or a column?"""
    normed = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    n = x.shape[-2]
    return np.resize(gamma, n)[:, None] * normed + np.resize(beta, n)[:, None]


@misconception(step="layer_norm", caught_by="layer_norm-gain_and_shift")
def gain_after_the_shift(x, gamma, beta, eps=1e-5):
    """Your shift is too large in features with a gain. Print beta and what you add in the end: what do you multiply by gamma?"""
    normed = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    return gamma * (normed + beta)


@misconception(step="layer_norm", caught_by="layer_norm-gain_and_shift")
def gain_and_shift_exchanged(x, gamma, beta, eps=1e-5):
    """Features with no shift come out as constants. Print what you multiply by and what you add in the second check: which is the gain?"""
    normed = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    return normed * beta + gamma if (beta != 0).any() else normed * gamma + beta


@misconception(step="layer_norm", caught_by="layer_norm-gain_and_shift")
def first_gain_for_all(x, gamma, beta, eps=1e-5):
    """One feature is right, others are not. Print how many gains there are and how many you use: are they the same?"""
    normed = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    return gamma[0] * normed + beta


@misconception(step="layer_norm", caught_by="layer_norm-gain_and_shift")
def gain_before_the_norm(x, gamma, beta, eps=1e-5):
    """Your gain changes the statistics. Print the mean of each row just before you divide: what has changed it?"""
    x = gamma * x
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-gain_and_shift", family="batch_in_the_statistics")
def last_two_axes_from_the_front(x, gamma, beta, eps=1e-5):
    """Without a batch everything is right. Stack the first check's tokens twice and print the shape of your mean: which axis did you average over?"""
    centred = x - x.mean(axis=1, keepdims=True)
    return gamma * centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-gain_and_shift")
def two_axes_only(x, gamma, beta, eps=1e-5):
    """Without a batch everything is right, with one your function fails. Stack the first check's tokens twice and print the shape: which of your lines assumes two axes?"""
    n, d_model = x.shape
    return np.array([gamma * (row - row.mean()) / np.sqrt(row.var() + eps) + beta for row in x])


@misconception(step="layer_norm", caught_by="layer_norm-eps")
def eps_beside_the_root(x, gamma, beta, eps=1e-5):
    """With a large eps your tokens come out too small. Print what you divide by for variance 1 and eps 3: is it 2?"""
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / (x.std(axis=-1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-eps")
def eps_ignored(x, gamma, beta, eps=1e-5):
    """A token whose features are equal is divided by 0. Print what you divide by in the third check: where do you use eps?"""
    with np.errstate(invalid="ignore", divide="ignore"):
        return gamma * (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True) + beta


@misconception(step="layer_norm", caught_by="layer_norm-eps")
def eps_of_ones_own(x, gamma, beta, eps=1e-5):
    """The caller's eps has no effect. Print eps and what you divide by in the third check: which number do you add to the variance?"""
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) + beta


@misconception(step="layer_norm", caught_by="layer_norm-eps")
def eps_squared(x, gamma, beta, eps=1e-5):
    """With a large eps your tokens come out too small. Print what you take the square root of for variance 1 and eps 3: is it 4?"""
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps**2) + beta


@misconception(step="layer_norm", caught_by="layer_norm-eps")
def eps_only_where_it_helps(x, gamma, beta, eps=1e-5):
    """With a large eps your tokens come out too large. Print what you take the square root of for variance 1 and eps 3: is it the larger of the two, or more?"""
    variance = x.var(axis=-1, keepdims=True)
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(np.maximum(variance, eps)) + beta


@misconception(step="layer_norm", caught_by="layer_norm-eps")
def equal_features_left_alone(x, gamma, beta, eps=1e-5):
    """A token of equal features comes out unchanged. Print the formula's numerator for 5, 5: what is left of it?"""
    spread = x.var(axis=-1, keepdims=True)
    normed = gamma * (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(spread + eps + (spread == 0)) + beta
    return np.where(spread == 0, x, normed)


@misconception(step="layer_norm", caught_by="layer_norm-any_batch")
def more_than_one_batch_axis(x, gamma, beta, eps=1e-5):
    """One sequence works, a batch works, a batch of batches does not. Give x a further axis in front, x[None], and print the shape of your mean: which of your lines counts axes from the front?"""
    axis = 2 if x.ndim > 2 else 1
    centred = x - x.mean(axis=axis, keepdims=True)
    return gamma * centred / np.sqrt((centred**2).mean(axis=axis, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-any_batch")
def normed_numbers_kept_in_range(x, gamma, beta, eps=1e-5):
    """Ordinary tokens are right, one with a single large feature is not. Print that feature before gain and shift: does the formula limit it?"""
    normed = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    return np.clip(normed, -3.0, 3.0) * gamma + beta


@misconception(step="layer_norm", caught_by="layer_norm-eps_of_its_own")
def another_default_for_eps(x, gamma, beta, eps=1e-5):
    """With a given eps everything is right. Print the default of your eps: is it the one in the docstring?"""
    eps = 1e-6 if eps == 1e-5 else eps
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-eps_of_its_own")
def eps_and_a_little_more(x, gamma, beta, eps=1e-5):
    """Large tokens are right, small ones are not. Print what you take the square root of for a token of size 0.001: what else did you add?"""
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps + 1e-6) + beta


@misconception(step="layer_norm", caught_by="layer_norm-small_tokens")
def eps_of_zero_taken_for_none(x, gamma, beta, eps=1e-5):
    """Large tokens are right, small ones not always. Print which eps you use where the caller asks for 0: is it 0?"""
    eps = eps or 1e-5
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-equal_features")
def axes_of_one_feature_dropped(x, gamma, beta, eps=1e-5):
    """Tokens with several features are right, tokens with one are not. Print the shape of your result for one feature: where did you lose an axis?"""
    normed = gamma * (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + beta
    return normed[..., 0] if x.shape[-1] == 1 and x.ndim == 2 else normed


@misconception(step="layer_norm", caught_by="layer_norm-equal_features")
def tokens_of_zeros_skipped(x, gamma, beta, eps=1e-5):
    """A token of zeros comes out unchanged. Print your answer for zeros with a shift: what does the docstring say about it?"""
    normed = gamma * (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + beta
    return np.where((x == 0).all(axis=-1, keepdims=True), 0.0, normed)


@misconception(step="layer_norm", caught_by="layer_norm-equal_features", family="variance_below_zero")
def square_of_the_mean_taken_off(x, gamma, beta, eps=1e-5):
    """Some tokens whose features are all equal come out as NaN. Print your variance of seven times 1000.1: can a mean of squared distances be below 0?"""
    mean = x.mean(axis=-1, keepdims=True)
    variance = (x * x).mean(axis=-1, keepdims=True) - mean**2
    return gamma * (x - mean) / np.sqrt(variance + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-equal_features", family="variance_below_zero")
def square_of_the_sum_taken_off(x, gamma, beta, eps=1e-5):
    """Some tokens whose features are all equal come out as NaN. Print your variance of seven times 1000.1: can a mean of squared distances be below 0?"""
    d, total = x.shape[-1], x.sum(axis=-1, keepdims=True)
    variance = ((x**2).sum(axis=-1, keepdims=True) - total**2 / d) / d
    return gamma * (x - total / d) / np.sqrt(variance + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-inputs_unchanged")
def each_text_written_over(x, gamma, beta, eps=1e-5):
    """One text works, but several are overwritten. Print x before and after a call with two texts: where did your function put its results?"""
    if x.ndim > 2:
        for i in range(len(x)):
            x[i] = each_text_written_over(x[i], gamma, beta, eps)
        return x.copy()
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-inputs_unchanged")
def tokens_of_equal_features_emptied(x, gamma, beta, eps=1e-5):
    """Your answers are right, but your function overwrites a token whose features are all equal. Print x before and after a call with 5 5 5 in it: which of your lines writes into x?"""
    x[x.max(axis=-1) == x.min(axis=-1)] = 0.0
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-inputs_unchanged")
def tokens_centred_in_place(x, gamma, beta, eps=1e-5):
    """Your first answer is right. Print x before and after the call: whose array did your function write into?"""
    x -= x.mean(axis=-1, keepdims=True)
    return gamma * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-inputs_unchanged")
def result_written_over_the_tokens(x, gamma, beta, eps=1e-5):
    """Your first answer is right. Print x before and after the call: where did your function put its result?"""
    x[...] = gamma * (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + beta
    return x.copy()


@misconception(step="layer_norm", caught_by="layer_norm-eps")
def eps_as_the_least_spread(x, gamma, beta, eps=1e-5):
    """With a large eps your tokens come out too small. Print what you divide by for variance 1 and eps 3: is it 2?"""
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / np.maximum(x.std(axis=-1, keepdims=True), eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-small_tokens")
def tiny_tokens_taken_for_equal_ones(x, gamma, beta, eps=1e-5):
    """Tokens of tiny numbers become the shift. Print your normalised token of 0.000001 and -0.000001: are its features equal?"""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    normed = gamma * centred / np.sqrt(np.where(variance + eps > 0, variance + eps, 1.0)) + beta
    return np.where(variance < 1e-11, beta, normed)


@misconception(step="layer_norm", caught_by="layer_norm-by_hand")
def spread_of_the_whole_batch(x, gamma, beta, eps=1e-5):
    """Every token has the mean 0, and the spread depends on its neighbours. Print the variance that you divide by for each token: which axes do you take it over?"""
    centred = x - x.mean(axis=-1, keepdims=True)
    return gamma * centred / np.sqrt((centred**2).mean() + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-any_batch")
def median_for_mean(x, gamma, beta, eps=1e-5):
    """Two features are right, more are not. Print what you subtract from a token with the features 0, 0, 6: is it 2?"""
    return gamma * (x - np.median(x, axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-gain_and_shift", family="batch_in_the_statistics")
def whole_sequence_at_once(x, gamma, beta, eps=1e-5):
    """Without a batch everything is right. Stack the first check's tokens twice and print the shape of your mean: how many means do four tokens need?"""
    axis = tuple(range(1, x.ndim))
    return gamma * (x - x.mean(axis=axis, keepdims=True)) / np.sqrt(x.var(axis=axis, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-by_hand")
def one_variance_for_all_tokens(x, gamma, beta, eps=1e-5):
    """Each token has its own mean, but all are divided by the same number. Print the variance that you use, and its shape: how many variances do two tokens need?"""
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var() + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-eps")
def small_spreads_left_alone(x, gamma, beta, eps=1e-5):
    """Your eps decides whether you divide. Print what you divide by in the third check, for variance 1 and eps 3: is anything added to the variance?"""
    centred, spread = x - x.mean(axis=-1, keepdims=True), x.std(axis=-1, keepdims=True)
    return gamma * centred / np.where(spread > eps, spread, 1.0) + beta


@misconception(step="layer_norm", caught_by="layer_norm-by_hand")
def the_mean_alone_divided(x, gamma, beta, eps=1e-5):
    """Only the mean is divided. Print what you divide for the second token of the first check: what belongs in brackets before it is divided?"""
    mean, variance = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return gamma * (x - mean / np.sqrt(variance + eps)) + beta


@misconception(step="layer_norm", caught_by="layer_norm-small_tokens")
def almost_equal_features_taken_for_equal(x, gamma, beta, eps=1e-5):
    """Tokens that are very small all become the shift. Print your result for 1e-10 and -1e-10 with an eps of 0: when does your function treat two features as equal?"""
    if np.allclose(x, x[..., :1]):
        return np.zeros_like(x) + beta
    centred = x - x.mean(axis=-1, keepdims=True)
    return gamma * centred / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + beta


@misconception(step="layer_norm", caught_by="layer_norm-equal_features")
def single_feature_not_normed(x, gamma, beta, eps=1e-5):
    """Tokens with a single feature keep their number. Print the mean of such a token: what is left after you subtract it?"""
    if x.shape[-1] == 1:
        return gamma * x + beta
    centred = x - x.mean(axis=-1, keepdims=True)
    return gamma * centred / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + beta


# 3. gelu


@misconception(step="gelu", caught_by="gelu-by_hand")
def relu_for_gelu(x):
    """Your negative numbers become 0. Print your value at -1: is there no area under the bell curve to the left of it?"""
    return np.maximum(x, 0.0)


@misconception(step="gelu", caught_by="gelu-by_hand")
def tanh_form(x):
    """Your numbers are off in the fourth digit. Print yours at 2 next to the expected one: which of the two forms in the text do you use?"""
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@misconception(step="gelu", caught_by="gelu-by_hand", family="sigmoid form")
def sigmoid_form(x):
    """Your numbers are off in the second digit. Print the share that you keep of 1, and the one in the check's sentence: does it come from the bell curve?"""
    return x / (1 + np.exp(-1.702 * np.asarray(x)))


@misconception(step="gelu", caught_by="gelu-by_hand", family="sigmoid form")
def sigmoid_form_cut_off(x):
    """Your numbers are off in the second digit. Print the share that you keep of 1, and the one in the check's sentence: does it come from the bell curve?"""
    return x / (1 + np.exp(-1.702 * np.clip(x, -400, 400)))


@misconception(step="gelu", caught_by="gelu-by_hand")
def swish(x):
    """You keep too little of 1. Print the share that you keep of it, and the one in the check's sentence: which curve gives your share?"""
    return x / (1 + np.exp(-np.asarray(x)))


@misconception(step="gelu", caught_by="gelu-by_hand")
def root_of_two_forgotten(x):
    """You keep too much of 1. Print what you pass to erf for 1: is it what the formula says?"""
    return 0.5 * x * (1 + np.vectorize(math.erf)(x))


@misconception(step="gelu", caught_by="gelu-by_hand")
def multiplied_by_the_root_of_two(x):
    """You keep far too much of 1. Print what you pass to erf for 1: is it larger or smaller than 1?"""
    return 0.5 * x * (1 + np.vectorize(math.erf)(x * math.sqrt(2)))


@misconception(step="gelu", caught_by="gelu-by_hand")
def divided_by_two_inside(x):
    """You keep too little of 1. Print what you pass to erf for 1: what is the denominator?"""
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / 2))


@misconception(step="gelu", caught_by="gelu-by_hand")
def half_forgotten(x):
    """You return more than 2 for 2. Print your share of it: can a share be larger than 1?"""
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


@misconception(step="gelu", caught_by="gelu-by_hand")
def one_forgotten(x):
    """Your values at 1 and at -1 are equal. Print the share that you keep of each: do the two sum to 1?"""
    return 0.5 * x * np.vectorize(math.erf)(x / math.sqrt(2))


@misconception(step="gelu", caught_by="gelu-by_hand")
def share_alone(x):
    """You return the share itself. Print your value at 0: what is half of 0?"""
    return 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


@misconception(step="gelu", caught_by="gelu-by_hand")
def share_to_the_right(x):
    """You keep most of -1 and little of 1. Print your shares of both: which side of the number do you measure?"""
    return 0.5 * x * np.vectorize(math.erfc)(x / math.sqrt(2))


@misconception(step="gelu", caught_by="gelu-by_hand")
def height_of_the_bell(x):
    """You keep less of 2 than of 1. Print your shares of both: is it the height of the curve, or the area to the left?"""
    return x * np.exp(-np.asarray(x) ** 2 / 2) / math.sqrt(2 * math.pi)


@misconception(step="gelu", caught_by="gelu-by_hand")
def erf_of_one_number(x):
    """Your function fails on an array. Print the type of what you pass to erf: how many numbers does it take at a time?"""
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


@misconception(step="gelu", caught_by="gelu-by_hand")
def whole_numbers_from_vectorize(x):
    """Your shares are all whole numbers or halves. Print the dtype of what np.vectorize returns: which entry does it take that from?"""
    erf = np.vectorize(lambda number: 0 if number == 0 else math.erf(number), otypes=[int])
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


@misconception(step="gelu", caught_by="gelu-by_hand")
def share_of_the_size(x):
    """You keep as much of -1 as of 1. Print the share of -1: what happened to its sign?"""
    return 0.5 * x * (1 + np.vectorize(math.erf)(np.abs(x) / math.sqrt(2)))


@misconception(step="gelu", caught_by="gelu-by_hand")
def erf_from_three_terms(x):
    """Small numbers are right, 2 is not. Print your erf of 1.4 and math.erf(1.4): how many terms does it need?"""
    z = np.asarray(x) / math.sqrt(2)
    return 0.5 * x * (1 + 2 / math.sqrt(math.pi) * (z - z**3 / 3 + z**5 / 10))


@misconception(step="gelu", caught_by="gelu-by_hand")
def elu_for_gelu(x):
    """You keep all of 1. Print your share of 1 and of -1: do they sum to 1?"""
    return np.where(np.asarray(x) > 0, x, np.expm1(np.minimum(x, 0.0)))


@misconception(step="gelu", caught_by="gelu-table")
def list_of_numbers(x):
    """A row of numbers works, a table does not. Print the shape of your answer to a table: what does your loop go over?"""
    return np.array([0.5 * number * (1 + math.erf(number / math.sqrt(2))) for number in np.ravel(x)])


@misconception(step="gelu", caught_by="gelu-table")
def loop_over_rows(x):
    """A row of numbers works, a table breaks your function. Print what your loop passes to math.erf: is it a single number?"""
    return np.array([0.5 * number * (1 + math.erf(number / math.sqrt(2))) for number in x])


@misconception(step="gelu", caught_by="gelu-table")
def small_negatives_cut_off(x):
    """Whole numbers are right, small negative ones become 0. Print your value at -0.5: which of your lines makes it 0?"""
    x = np.asarray(x)
    return np.where((x > -0.9) & (x < 0), 0.0, 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))))


@misconception(step="gelu", caught_by="gelu-drawn")
def two_axes_and_no_more(x):
    """Rows and tables work, more axes do not. Give your table a further axis, x[None], and print the shape of your answer: which of your lines counts axes?"""
    rows = np.reshape(x, (-1, np.shape(x)[-1]))
    out = np.array([[0.5 * number * (1 + math.erf(number / math.sqrt(2))) for number in row] for row in rows])
    return out if np.ndim(x) > 1 else out[0]


@misconception(step="gelu", caught_by="gelu-drawn")
def few_digits(x):
    """The numbers of the visible checks are right by luck. Print your value at 1.23 with eight digits: which of your lines drops digits?"""
    known = {0.0: 0.0, 1.0: math.erf(math.sqrt(0.5)), 2.0: math.erf(math.sqrt(2)), 0.5: math.erf(0.5 * math.sqrt(0.5))}
    known |= {3.0: math.erf(3 * math.sqrt(0.5)), 0.1: math.erf(0.1 * math.sqrt(0.5))}

    def erf(number):
        size = abs(number)
        return math.copysign(known.get(size, round(math.erf(size / math.sqrt(2)), 3)), number)

    return 0.5 * x * (1 + np.vectorize(erf, otypes=[float])(x))


@misconception(step="gelu", caught_by="gelu-drawn")
def axes_of_size_one_dropped(x):
    """Tables are right, arrays with an axis of 1 lose it. Print the shapes of x and of your answer: are they the same?"""
    return np.squeeze(0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))))


@misconception(step="gelu", caught_by="gelu-ten_thousand")
def series_far_from_zero(x):
    """Numbers near 0 are right, large ones are not. Print the terms of your sum for 40: do they ever become small?"""
    z = np.asarray(x, dtype=float) / math.sqrt(2)
    total, term = np.zeros_like(z), z.copy()
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(120):
            total += term / (2 * k + 1)
            term = -term * z * z / (k + 1)
    return 0.5 * x * (1 + 2 / math.sqrt(math.pi) * total)


@misconception(step="gelu", caught_by="gelu-ten_thousand")
def clipped(x):
    """Numbers near 0 are right, large ones come out too small. Print your value at 40: how much of it should be left?"""
    x = np.clip(x, -6.0, 6.0)
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


@misconception(step="gelu", caught_by="gelu-inputs_unchanged")
def bent_in_place(x):
    """Your first answer is right. Print x before and after the call: whose array did your function write into?"""
    shares = 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    x *= shares
    return x.copy()


@misconception(step="gelu", caught_by="gelu-inputs_unchanged")
def far_left_cut_off_in_place(x):
    """Your answers are right, but your function changes a very negative number in x. Print x before and after a call with -100 in it: which of your lines writes into x?"""
    x[x < -40] = -40.0
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


@misconception(step="gelu", caught_by="gelu-by_hand")
def rounded_root(x):
    """Your numbers are off in the fifth digit. Print the number you divide by inside erf: how many of its digits did you write?"""
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / 1.414))


@misconception(step="gelu", caught_by="gelu-drawn")
def cut_off_at_three(x):
    """Numbers up to 3 are right, some above are not. Print your value at 3.3: should it be exactly 3.3?"""
    bent = 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    return np.where(np.abs(x) > 3.2, np.maximum(x, 0.0), bent)


@misconception(step="gelu", caught_by="gelu-far_out")
def whole_numbers_behind_a_whole_number(x):
    """Your results are cut to whole numbers where the first number is very negative. Print the dtype of your answer for -40, 1: from which entry does np.vectorize take it?"""
    return np.vectorize(lambda number: 0 if number <= -6 else 0.5 * number * (1 + math.erf(number / math.sqrt(2))))(x)


@misconception(step="gelu", caught_by="gelu-by_hand")
def slope_for_the_value(x):
    """You return the slope of the curve. Print your value at 0: what is 0 times any share?"""
    share = 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    return share + x * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


@misconception(step="gelu", caught_by="gelu-drawn")
def straight_beyond_three(x):
    """Numbers from -3 to 3 are right, others are off in the third digit. Print yours for -3.1: how much of the area under the bell curve is to its left?"""
    bent = np.where(x > 3.0, x, 0.0)
    inside = np.abs(x) <= 3.0
    return np.where(inside, x * (1.0 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2.0))) / 2.0, bent)


# 4. feed_forward


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def no_bend(x, W_1, b_1, W_2, b_2):
    """Hidden features below 0 pass unchanged. Print the hidden features of the second token: what should happen to -1?"""
    return (x @ W_1 + b_1) @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def bend_at_the_end(x, W_1, b_1, W_2, b_2):
    """Your output is never negative, but hidden features below 0 pass unchanged. Print the hidden features of the second token: where does the formula apply ReLU?"""
    return np.maximum((x @ W_1 + b_1) @ W_2 + b_2, 0.0)


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def bend_at_both_layers(x, W_1, b_1, W_2, b_2):
    """The hidden features are right, but your output is never negative. Print what you return for the first token before its last line: may it be below 0?"""
    return np.maximum(np.maximum(x @ W_1 + b_1, 0.0) @ W_2 + b_2, 0.0)


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def bend_before_the_bias(x, W_1, b_1, W_2, b_2):
    """A hidden feature is below 0 after your ReLU. Print the hidden features of both tokens: what do you add after the activation that belongs before it?"""
    return (np.maximum(x @ W_1, 0.0) + b_1) @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def bend_on_the_tokens(x, W_1, b_1, W_2, b_2):
    """You apply ReLU to the tokens themselves. Print what you multiply by W_1: does it still hold the -1 of the second token?"""
    return (np.maximum(x, 0.0) @ W_1 + b_1) @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def gelu_between_the_layers(x, W_1, b_1, W_2, b_2):
    """Your hidden features are not whole numbers. Print them for the first token: which activation does the docstring ask for?"""
    hidden = x @ W_1 + b_1
    return 0.5 * hidden * (1 + np.vectorize(math.erf)(hidden / math.sqrt(2))) @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def leaky_bend(x, W_1, b_1, W_2, b_2):
    """Hidden features below 0 keep a little of their value. Print the hidden features of the second token: what exactly should -1 become?"""
    hidden = x @ W_1 + b_1
    return np.where(hidden > 0, hidden, 0.01 * hidden) @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def size_for_bend(x, W_1, b_1, W_2, b_2):
    """Hidden features below 0 lose their sign. Print the hidden features of the second token: what should happen to -1?"""
    return np.abs(x @ W_1 + b_1) @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def negatives_kept(x, W_1, b_1, W_2, b_2):
    """Your activation keeps the wrong half. Print the hidden features of the first token: which of them should pass?"""
    return np.minimum(x @ W_1 + b_1, 0.0) @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def largest_hidden_feature_alone(x, W_1, b_1, W_2, b_2):
    """Only one hidden feature per token is left. Print the shape of yours: does ReLU compare each feature with 0, or features with each other?"""
    hidden = x @ W_1 + b_1
    return np.maximum(hidden.max(axis=-1, keepdims=True), 0.0) * W_2.sum(axis=0) + b_2


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def ones_for_what_was_found(x, W_1, b_1, W_2, b_2):
    """Your hidden features are all 0 or 1. Print those of the second token: what happened to the 2?"""
    return (x @ W_1 + b_1 > 0).astype(float) @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def first_bias_forgotten(x, W_1, b_1, W_2, b_2):
    """The hidden features are off by a constant. Print them for the first token: where does your function use b_1?"""
    return np.maximum(x @ W_1, 0.0) @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def second_bias_forgotten(x, W_1, b_1, W_2, b_2):
    """Both tokens are off by the same numbers. Print expected minus yours: where have you seen these numbers?"""
    return np.maximum(x @ W_1 + b_1, 0.0) @ W_2


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def stream_added(x, W_1, b_1, W_2, b_2):
    """Both tokens have been added once too often. Print yours minus expected, and x: which later step have you done already?"""
    return x + np.maximum(x @ W_1 + b_1, 0.0) @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-by_hand", family="weights_on_their_side")
def weights_turned(x, W_1, b_1, W_2, b_2):
    """You use the matrices in a different layout from the one they come in. Print the shape of W_1 as it arrives and as you use it: which one does the docstring promise?"""
    return np.maximum(x @ W_1.T + b_1, 0.0) @ W_2.T + b_2


@misconception(step="feed_forward", caught_by="feed_forward-by_hand", family="weights_on_their_side")
def weights_left_of_the_tokens(x, W_1, b_1, W_2, b_2):
    """The matrices do not line up with the tokens. Print the shapes of x and of W_1 in the order in which you multiply them: on which side do weights go?"""
    return W_2 @ np.maximum(W_1 @ x + b_1, 0.0) + b_2


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def hidden_features_returned(x, W_1, b_1, W_2, b_2):
    """You return the hidden features. Print the shape of your result: where is the second layer?"""
    return np.maximum(x @ W_1 + b_1, 0.0)


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def one_layer(x, W_1, b_1, W_2, b_2):
    """You never apply ReLU to the hidden features. Print the hidden features of both tokens, if you have any: how many times do you multiply tokens by a matrix?"""
    return np.maximum(x @ (W_1 @ W_2) + b_1 @ W_2, 0.0) + b_2


@misconception(step="feed_forward", caught_by="feed_forward-batch_of_two")
def batch_lost(x, W_1, b_1, W_2, b_2):
    """One sequence works; in a batch, all tokens end up in one list. Stack the first check's tokens twice and print the shape of your result: what happened to the batch axis?"""
    x = x.reshape(-1, x.shape[-1])
    return np.maximum(x @ W_1 + b_1, 0.0) @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-batch_of_two")
def two_axes_unpacked(x, W_1, b_1, W_2, b_2):
    """One sequence works, a batch breaks your function. Stack the first check's tokens twice and print the shape: which of your lines assumes two axes?"""
    n, d_model = x.shape
    out = np.zeros((n, d_model))
    for i in range(n):
        out[i] = np.maximum(W_1.T @ x[i] + b_1, 0.0) @ W_2 + b_2
    return out


@misconception(step="feed_forward", caught_by="feed_forward-batch_of_two")
def turned_where_square(x, W_1, b_1, W_2, b_2):
    """It goes wrong for a square W_1. Print it before and after your function prepares it: which condition decided that?"""
    first = W_1.T if W_1.shape[0] == W_1.shape[1] else W_1
    return np.maximum(x @ first + b_1, 0.0) @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-any_batch")
def one_batch_axis_and_no_more(x, W_1, b_1, W_2, b_2):
    """One sequence works, a batch works, a batch of batches does not. Give x a further axis, x[None], and print the shape of your result: which of your lines counts axes?"""
    flat = x.reshape(-1, *x.shape[-2:]) if x.ndim > 2 else x
    return np.maximum(flat @ W_1 + b_1, 0.0) @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-sizes_of_one")
def hidden_axis_of_one_dropped(x, W_1, b_1, W_2, b_2):
    """Several hidden features work, a single one does not. Print the shape of your hidden array where d_ff is 1: where did you lose an axis?"""
    hidden = np.maximum(x @ W_1 + b_1, 0.0)
    if W_1.shape == (1, 1):
        hidden = hidden.squeeze(-1)
    return hidden @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-nothing_found")
def divided_by_the_largest(x, W_1, b_1, W_2, b_2):
    """Tokens with positive hidden features are right, others are NaN. Print the hidden features of a token that has none: what do you divide by?"""
    hidden = np.maximum(x @ W_1 + b_1, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return hidden / hidden.max() @ W_2 * hidden.max() + b_2


@misconception(step="feed_forward", caught_by="feed_forward-inputs_unchanged")
def bias_changed_in_place(x, W_1, b_1, W_2, b_2):
    """Your first answer is right. Print b_1 before and after the call: whose array did your function write into?"""
    hidden = x @ W_1
    hidden += b_1
    b_1 *= 0.5
    return np.maximum(hidden, 0.0) @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-inputs_unchanged")
def result_in_the_tokens(x, W_1, b_1, W_2, b_2):
    """Your first answer is right. Print x before and after the call: where did your function put its result?"""
    x[...] = np.maximum(x @ W_1 + b_1, 0.0) @ W_2 + b_2
    return x.copy()


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def tanh_for_bend(x, W_1, b_1, W_2, b_2):
    """None of your hidden features is larger than 1. Print those of the second token: which activation does the docstring ask for?"""
    return np.tanh(x @ W_1 + b_1) @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def second_bend_before_the_bias(x, W_1, b_1, W_2, b_2):
    """The hidden features are right, but your output is never below the second bias. Print what you add b_2 to: may it be below 0?"""
    return np.maximum(np.maximum(x @ W_1 + b_1, 0.0) @ W_2, 0.0) + b_2


@misconception(step="feed_forward", caught_by="feed_forward-by_hand")
def almost_nothing_for_negatives(x, W_1, b_1, W_2, b_2):
    """Hidden features below 0 become slightly positive. Print the hidden features of the second token: what exactly should -2 become?"""
    hidden = x @ W_1 + b_1
    return np.where(hidden < 0, 1e-3, hidden) @ W_2 + b_2


@misconception(step="feed_forward", caught_by="feed_forward-batch_of_two")
def bias_only_where_something_is_found(x, W_1, b_1, W_2, b_2):
    """A token whose hidden features are all 0 becomes 0. Print what you return for it: what does the formula always add?"""
    hidden = np.maximum(x @ W_1 + b_1, 0.0)
    return hidden @ W_2 + b_2 * (hidden.sum(axis=-1, keepdims=True) > 0)


@misconception(step="feed_forward", caught_by="feed_forward-batch_of_two")
def capped_bend(x, W_1, b_1, W_2, b_2):
    """Small hidden features are right, large ones are cut. Print the hidden features of the second check: does the activation have an upper limit?"""
    return np.clip(x @ W_1 + b_1, 0.0, 2.5) @ W_2 + b_2



@misconception(step="feed_forward", caught_by="feed_forward-any_batch")
def bend_with_an_upper_end(x, W_1, b_1, W_2, b_2):
    """Small hidden features are right, large ones are cut. Multiply the first check's tokens by 100 and print the hidden features: does the activation have an upper limit?"""
    return np.clip(x @ W_1 + b_1, 0.0, 6.0) @ W_2 + b_2



# 5. cross_attention


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def both_texts_exchanged(X_queries, X_keys, W_Q, W_K, W_V):
    """The two texts are swapped. Print which text your queries come from, and which one your values: whose tokens should have a row in the output?"""
    return scaled_dot_product_attention(X_keys @ W_Q, X_queries @ W_K, X_queries @ W_V)[0]


@misconception(step="cross_attention", caught_by="cross_attention-one_of_them")
def one_row_for_a_single_key(X_queries, X_keys, W_Q, W_K, W_V):
    """With a single key your result has one row. Print its shape for two queries and one key: who gets a row of the result?"""
    V = X_keys @ W_V
    if X_keys.shape[-2] == 1:
        return V
    return scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, V)[0]


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def values_from_the_queries(X_queries, X_keys, W_Q, W_K, W_V):
    """Queries and keys are right, but the values come from the wrong text. Print your values: which of the two texts should they come from?"""
    return scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_queries @ W_V)[0]


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def keys_from_the_queries(X_queries, X_keys, W_Q, W_K, W_V):
    """Queries and values are right, but the keys come from the wrong text. Print your keys: which of the two texts is looked at?"""
    return scaled_dot_product_attention(X_queries @ W_Q, X_queries @ W_K, X_keys @ W_V)[0]


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def queries_from_the_keys(X_queries, X_keys, W_Q, W_K, W_V):
    """One of the two texts is never used. Print your queries: whose tokens are they?"""
    return scaled_dot_product_attention(X_keys @ W_Q, X_keys @ W_K, X_keys @ W_V)[0]


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def asks_itself(X_queries, X_keys, W_Q, W_K, W_V):
    """One of the two texts is never used. Print your keys and values: which text do they come from?"""
    return scaled_dot_product_attention(X_queries @ W_Q, X_queries @ W_K, X_queries @ W_V)[0]


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def output_and_weights(X_queries, X_keys, W_Q, W_K, W_V):
    """Two things come back where one is expected. Print the type of your result: what does the docstring's Returns promise?"""
    return scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V)


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def weights_for_output(X_queries, X_keys, W_Q, W_K, W_V):
    """Your rows sum to 1. Print the parts that attention returns: which of them is the average?"""
    return scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V)[1]


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def keys_and_values_exchanged(X_queries, X_keys, W_Q, W_K, W_V):
    """You pass keys in place of values. Print both as your attention receives them: in which order does it take them?"""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    d = min(Q.shape[-1], V.shape[-1])
    return scaled_dot_product_attention(Q[..., :d], V[..., :d], K)[0]


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def values_not_projected(X_queries, X_keys, W_Q, W_K, W_V):
    """You average the tokens themselves. Print the shape of what you average: where do you use W_V?"""
    return scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys)[0]


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def keys_through_the_matrix_of_queries(X_queries, X_keys, W_Q, W_K, W_V):
    """One of the three matrices is never used. Print each matrix with the text it multiplies: do you use every matrix?"""
    K = X_keys @ W_Q if X_keys.shape[-1] > 2 else X_keys @ W_K
    return scaled_dot_product_attention(X_queries @ W_Q, K, X_keys @ W_Q @ np.ones((W_Q.shape[1], W_V.shape[1])))[0]


@misconception(step="cross_attention", caught_by="cross_attention-by_hand", family="something_is_hidden")
def no_looking_ahead(X_queries, X_keys, W_Q, W_K, W_V):
    """Your first query sees only the first key. Print the weights of query 0: does this step hide anything?"""
    n_queries, n_keys = X_queries.shape[-2], X_keys.shape[-2]
    mask = np.tri(n_queries, n_keys, dtype=bool)
    return scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V, mask)[0]


@misconception(step="cross_attention", caught_by="cross_attention-by_hand", family="something_is_hidden")
def no_looking_ahead_counted_from_the_end(X_queries, X_keys, W_Q, W_K, W_V):
    """Your first query does not see the last key. Print the weights of query 0: does this step hide anything?"""
    n_queries, n_keys = X_queries.shape[-2], X_keys.shape[-2]
    mask = np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)
    return scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V, mask)[0]


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def shares_over_queries(X_queries, X_keys, W_Q, W_K, W_V):
    """Your columns sum to 1. Print the sum of each row of weights: should the weights of a query or of a key sum to 1?"""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    scores = Q @ np.swapaxes(K, -1, -2) / math.sqrt(Q.shape[-1])
    return softmax(scores, axis=-2) @ V


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def no_softmax(X_queries, X_keys, W_Q, W_K, W_V):
    """Your weights do not sum to 1. Print a row of them: which step of attention is missing between scores and average?"""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    return Q @ np.swapaxes(K, -1, -2) / math.sqrt(Q.shape[-1]) @ V


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def best_key_alone(X_queries, X_keys, W_Q, W_K, W_V):
    """Each query takes one value only. Print the weights of query 0: are they three quarters and one quarter?"""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    best = (Q @ np.swapaxes(K, -1, -2)).argmax(axis=-1)
    return np.take_along_axis(V, best[..., None], axis=-2)


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def mean_of_the_text(X_queries, X_keys, W_Q, W_K, W_V):
    """All your rows are equal. Print the weights of both queries: do the queries matter at all?"""
    V = X_keys @ W_V
    return np.repeat(V.mean(axis=-2, keepdims=True), X_queries.shape[-2], axis=-2)


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def queries_added_to_the_output(X_queries, X_keys, W_Q, W_K, W_V):
    """Your output also contains the text of the queries. Print yours minus expected: what did you add?"""
    output, _ = scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V)
    return output + X_queries.sum(axis=-1, keepdims=True)


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def both_texts_in_one(X_queries, X_keys, W_Q, W_K, W_V):
    """Queries look at their own text as well. Print how many keys you have: how many tokens does the other text have?"""
    both = np.concatenate([X_queries, X_keys], axis=-2)
    return scaled_dot_product_attention(X_queries @ W_Q, both @ W_K, both @ W_V)[0]


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def both_texts_ask(X_queries, X_keys, W_Q, W_K, W_V):
    """Your output has more rows than there are queries. Print its shape: which text should its rows belong to?"""
    both = np.concatenate([X_queries, X_keys], axis=-2)
    return scaled_dot_product_attention(both @ W_Q, both @ W_K, both @ W_V)[0]


@misconception(step="cross_attention", caught_by="cross_attention-batch_of_two")
def not_scaled(X_queries, X_keys, W_Q, W_K, W_V):
    """Vectors of length 1 are right, longer ones give one key too much weight. Print your scores in the second check: is something missing before softmax?"""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    return softmax(Q @ np.swapaxes(K, -1, -2)) @ V


@misconception(step="cross_attention", caught_by="cross_attention-batch_of_two")
def scaled_twice(X_queries, X_keys, W_Q, W_K, W_V):
    """Vectors of length 1 are right, longer ones give weights that are too even. Print your scores in the second check: how often do you scale them?"""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    return scaled_dot_product_attention(Q / math.sqrt(Q.shape[-1]), K, V)[0]


@misconception(step="cross_attention", caught_by="cross_attention-batch_of_two")
def scaled_by_the_tokens(X_queries, X_keys, W_Q, W_K, W_V):
    """You scale the scores by the wrong length. Print what you divide by in the second check: whose length is it?"""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    d = X_queries.shape[-1] if Q.shape[-1] > 1 else 1
    return softmax(Q @ np.swapaxes(K, -1, -2) / math.sqrt(d)) @ V


@misconception(step="cross_attention", caught_by="cross_attention-batch_of_two")
def scaled_by_the_values(X_queries, X_keys, W_Q, W_K, W_V):
    """You scale the scores by the wrong length. Print what you divide by in the second check: is it the length of the vectors in the dot products?"""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    d = V.shape[-1] if Q.shape[-1] > 1 else 1
    return softmax(Q @ np.swapaxes(K, -1, -2) / math.sqrt(d)) @ V


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def scaled_by_the_width_of_the_tokens(X_queries, X_keys, W_Q, W_K, W_V):
    """Your weights are too even, or not even enough. Print the number by which you scale in the first check: how long are the two vectors whose dot product is one score?"""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    return weighted_sum(softmax(attention_scores(Q, K) / np.sqrt(X_queries.shape[-1])), V)


@misconception(step="cross_attention", caught_by="cross_attention-any_batch")
def scaled_by_a_whole_number(X_queries, X_keys, W_Q, W_K, W_V):
    """Square numbers work. Print the number by which you scale for d_k = 8: is its square 8?"""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    return weighted_sum(softmax(attention_scores(Q, K) / int(np.sqrt(Q.shape[-1]))), V)


@misconception(step="cross_attention", caught_by="cross_attention-batch_of_two")
def as_many_keys_as_queries(X_queries, X_keys, W_Q, W_K, W_V):
    """Texts of the same length are right, others are not. Print how many keys your query meets in the second check: what happened to the others?"""
    n = X_queries.shape[-2]
    X_keys = X_keys[..., :n, :]
    return scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V)[0]


@misconception(step="cross_attention", caught_by="cross_attention-batch_of_two")
def all_axes_turned(X_queries, X_keys, W_Q, W_K, W_V):
    """One pair of texts works, a batch does not. Print the shape of your keys before and after you transpose them: which two axes should you swap?"""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    return softmax(Q @ K.T / math.sqrt(Q.shape[-1])) @ V


@misconception(step="cross_attention", caught_by="cross_attention-batch_of_two")
def first_text_for_all(X_queries, X_keys, W_Q, W_K, W_V):
    """In a batch all queries read the same text. Print the values that sequence 1 averages: whose are they?"""
    if X_keys.ndim > 2:
        X_keys = np.broadcast_to(X_keys[:1], X_keys.shape)
    return scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V)[0]


@misconception(step="cross_attention", caught_by="cross_attention-any_batch")
def one_axis_for_the_batch(X_queries, X_keys, W_Q, W_K, W_V):
    """One pair of texts works, a batch works, a batch of batches does not. Give both texts a further axis in front and print the shape of your output: which of your lines counts axes?"""
    if X_queries.ndim == 2:
        return scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V)[0]
    pairs = zip(X_queries.reshape(-1, *X_queries.shape[-2:]), X_keys.reshape(-1, *X_keys.shape[-2:]))
    return np.array([scaled_dot_product_attention(q @ W_Q, k @ W_K, k @ W_V)[0] for q, k in pairs])


@misconception(step="cross_attention", caught_by="cross_attention-any_batch")
def query_by_query_alone(X_queries, X_keys, W_Q, W_K, W_V):
    """Few keys are right, many are not. Print how many keys a query of yours meets where there are eight: which number stops your loop?"""
    Q, K, V = X_queries @ W_Q, X_keys[..., :3, :] @ W_K, X_keys[..., :3, :] @ W_V
    return scaled_dot_product_attention(Q, K, V)[0]


@misconception(step="cross_attention", caught_by="cross_attention-thousands")
def exponentials_as_they_are(X_queries, X_keys, W_Q, W_K, W_V):
    """Small scores are right, large ones give NaN. Print the largest score and its exponential: how did your softmax prevent that?"""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    with np.errstate(over="ignore", invalid="ignore"):
        powers = np.exp(Q @ np.swapaxes(K, -1, -2) / math.sqrt(Q.shape[-1]))
        return powers / powers.sum(axis=-1, keepdims=True) @ V


@misconception(step="cross_attention", caught_by="cross_attention-thousands")
def one_shift_for_all_queries(X_queries, X_keys, W_Q, W_K, W_V):
    """One query works, another does not. Print the row with the smallest scores after your shift: what is left of it?"""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    scores = Q @ np.swapaxes(K, -1, -2) / math.sqrt(Q.shape[-1])
    with np.errstate(invalid="ignore", divide="ignore"):
        powers = np.exp(scores - scores.max())
        return powers / powers.sum(axis=-1, keepdims=True) @ V


@misconception(step="cross_attention", caught_by="cross_attention-large_scores")
def scores_clipped(X_queries, X_keys, W_Q, W_K, W_V):
    """Small scores are right, large ones are cut. Print the scores before and after you make them safe: do two different large scores stay different?"""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    return softmax(np.clip(Q @ np.swapaxes(K, -1, -2) / math.sqrt(Q.shape[-1]), -50.0, 50.0)) @ V


@misconception(step="cross_attention", caught_by="cross_attention-one_of_each")
def axis_of_one_dropped(X_queries, X_keys, W_Q, W_K, W_V):
    """Several queries are right, a single one loses its axis. Print the shape of your output for one query: how many axes does it have?"""
    output, _ = scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V)
    return output[0] if output.ndim == 2 and output.shape[0] == 1 else output


@misconception(step="cross_attention", caught_by="cross_attention-inputs_unchanged")
def texts_scaled_in_place(X_queries, X_keys, W_Q, W_K, W_V):
    """Your first answer is right. Print X_queries before and after the call: whose array did your function write into?"""
    Q = X_queries @ W_Q
    X_queries /= math.sqrt(W_Q.shape[1])
    return scaled_dot_product_attention(Q, X_keys @ W_K, X_keys @ W_V)[0]


@misconception(step="cross_attention", caught_by="cross_attention-inputs_unchanged")
def matrix_scaled_in_place(X_queries, X_keys, W_Q, W_K, W_V):
    """Your first answer is right. Print W_Q before and after the call: whose array did your function write into?"""
    W_Q /= math.sqrt(W_Q.shape[1])
    return softmax(X_queries @ W_Q @ np.swapaxes(X_keys @ W_K, -1, -2)) @ (X_keys @ W_V)


@misconception(step="cross_attention", caught_by="cross_attention-by_hand")
def scaled_by_the_number_of_keys(X_queries, X_keys, W_Q, W_K, W_V):
    """Your scores depend on how many keys there are. Print what you divide them by in the first check: whose length is it?"""
    Q, K, V = X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V
    return softmax(Q @ np.swapaxes(K, -1, -2) / math.sqrt(K.shape[-2])) @ V


@misconception(step="cross_attention", caught_by="cross_attention-by_hand", family="something_is_hidden")
def no_looking_ahead_from_the_end(X_queries, X_keys, W_Q, W_K, W_V):
    """Your first query sees only some of the keys. Print the weights of query 0: does this step hide anything?"""
    n_queries, n_keys = X_queries.shape[-2], X_keys.shape[-2]
    mask = causal_mask(n_queries, n_keys) if n_keys >= n_queries else None
    return scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V, mask)[0]



@misconception(step="cross_attention", caught_by="cross_attention-any_batch")
def sixteen_keys_at_most(X_queries, X_keys, W_Q, W_K, W_V):
    """Short texts are right, a long one is not. Print how many keys your function uses of a text of 40 tokens: what happens to the last ones?"""
    X_keys = X_keys[..., :16, :]
    return scaled_dot_product_attention(X_queries @ W_Q, X_keys @ W_K, X_keys @ W_V)[0]



# 6. transformer_block


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def norms_behind_the_sums(x, attention, feed_forward, norm_1, norm_2):
    """You normalise the stream itself. Print the stream after attention: does the formula normalise the stream, or the input of each part?"""
    x = norm_1(x + attention(x))
    return norm_2(x + feed_forward(x))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def norms_behind_the_parts(x, attention, feed_forward, norm_1, norm_2):
    """You normalise the output of each part instead of its input. Print what attention receives: what should happen to it first?"""
    x = x + norm_1(attention(x))
    return x + norm_2(feed_forward(x))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def nothing_is_added(x, attention, feed_forward, norm_1, norm_2):
    """The outputs of the parts replace the stream. Print the stream after attention: where is x in it?"""
    return feed_forward(norm_2(attention(norm_1(x))))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def attention_replaces_the_stream(x, attention, feed_forward, norm_1, norm_2):
    """The stream is lost at attention. Print it before and after: what do you add the output of attention to?"""
    x = attention(norm_1(x))
    return x + feed_forward(norm_2(x))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def feed_forward_replaces_the_stream(x, attention, feed_forward, norm_1, norm_2):
    """The stream after attention is right, then it is lost. Print it and what you return: what do you add the last output to?"""
    x = x + attention(norm_1(x))
    return feed_forward(norm_2(x))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def normed_stream_goes_on(x, attention, feed_forward, norm_1, norm_2):
    """You continue with the normalised stream. Print what you add the output of attention to in the first check: is it [[1, 2], [3, 0]]?"""
    x = norm_1(x)
    x = x + attention(x)
    x = norm_2(x)
    return x + feed_forward(x)


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def first_normed_stream_goes_on(x, attention, feed_forward, norm_1, norm_2):
    """You do not add the output of attention to the stream x. Print it in the first check: is it [[1, 2], [3, 0]]?"""
    x = norm_1(x)
    x = x + attention(x)
    return x + feed_forward(norm_2(x))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def second_normed_stream_goes_on(x, attention, feed_forward, norm_1, norm_2):
    """The stream after attention is right, but you continue with something else. Print what you add the last output to: is it [[8, 3], [6, 5]]?"""
    x = x + attention(norm_1(x))
    x = norm_2(x)
    return x + feed_forward(x)


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def both_parts_side_by_side(x, attention, feed_forward, norm_1, norm_2):
    """Both parts read the original stream. Print what norm_2 receives: does it contain the output of attention?"""
    return x + attention(norm_1(x)) + feed_forward(norm_2(x))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def last_sum_with_the_start(x, attention, feed_forward, norm_1, norm_2):
    """The output of attention is missing at the end. Print what you add the last output to: is it [[8, 3], [6, 5]]?"""
    after_attention = x + attention(norm_1(x))
    return x + feed_forward(norm_2(after_attention))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def feed_forward_reads_attention_alone(x, attention, feed_forward, norm_1, norm_2):
    """What norm_2 receives is not the whole stream. Print it: is it [[8, 3], [6, 5]]?"""
    found = attention(norm_1(x))
    return x + found + feed_forward(norm_2(found))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def norms_exchanged(x, attention, feed_forward, norm_1, norm_2):
    """The two norms are swapped. Print what attention receives in the first check: is it doubled?"""
    x = x + attention(norm_2(x))
    return x + feed_forward(norm_1(x))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def parts_exchanged(x, attention, feed_forward, norm_1, norm_2):
    """The parts are in the wrong order. Print which of the two you call first: which one reads the original stream?"""
    x = x + feed_forward(norm_2(x))
    return x + attention(norm_1(x))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def first_norm_forgotten(x, attention, feed_forward, norm_1, norm_2):
    """Attention reads the stream as it is. Print what it receives in the first check: is it doubled?"""
    x = x + attention(x)
    return x + feed_forward(norm_2(x))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def second_norm_forgotten(x, attention, feed_forward, norm_1, norm_2):
    """The feed-forward layer reads the stream as it is. Print what it receives in the first check: has 1 been subtracted?"""
    x = x + attention(norm_1(x))
    return x + feed_forward(x)


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def no_norms(x, attention, feed_forward, norm_1, norm_2):
    """You never call two of the functions you are given. Print what attention receives in the first check: is it doubled?"""
    x = x + attention(x)
    return x + feed_forward(x)


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def one_norm_for_both(x, attention, feed_forward, norm_1, norm_2):
    """You never call one of the norms. Print what the feed-forward layer receives: which norm prepared it?"""
    x = x + attention(norm_1(x))
    return x + feed_forward(norm_1(x))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def both_norms_before_attention(x, attention, feed_forward, norm_1, norm_2):
    """Attention reads a stream that was normalised twice. Print what it receives in the first check: which norm belongs to it?"""
    x = x + attention(norm_2(norm_1(x)))
    return x + feed_forward(norm_2(x))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def a_norm_at_the_end(x, attention, feed_forward, norm_1, norm_2):
    """Everything is right until your last line. Print the stream before it: does the formula do anything else to it?"""
    x = x + attention(norm_1(x))
    return norm_2(x + feed_forward(norm_2(x)))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def stopped_after_attention(x, attention, feed_forward, norm_1, norm_2):
    """You return the stream after attention, which is right so far. Print which of the four functions were called: is one missing?"""
    x = x + attention(norm_1(x))
    norm_2(x)
    return x


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def functions_not_called(x, attention, feed_forward, norm_1, norm_2):
    """Your function fails at a sum. Print the type of what you add to x: is it an array or a function?"""
    x = x + attention
    return x + feed_forward


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def half_of_each_sum(x, attention, feed_forward, norm_1, norm_2):
    """Your stream is too small. Print the stream after attention: is anything done to the sum in the formula?"""
    x = (x + attention(norm_1(x))) / 2
    return (x + feed_forward(norm_2(x))) / 2


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def products_for_sums(x, attention, feed_forward, norm_1, norm_2):
    """Your stream grows much too fast. Print the stream after attention: how does the formula bring the two together?"""
    x = x * attention(norm_1(x))
    return x * feed_forward(norm_2(x))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def stream_added_twice(x, attention, feed_forward, norm_1, norm_2):
    """Your result contains x twice. Print yours minus expected: how often do you add x?"""
    after_attention = x + attention(norm_1(x))
    return x + after_attention + feed_forward(norm_2(after_attention))


@misconception(step="transformer_block", caught_by="transformer_block-batch_of_two")
def sequences_in_one(x, attention, feed_forward, norm_1, norm_2):
    """One sequence works; in a batch the tokens of all sequences look at each other. Print the shape of what attention receives: where is the batch axis?"""
    tokens = x.reshape(-1, x.shape[-1])
    tokens = tokens + attention(norm_1(tokens))
    return (tokens + feed_forward(norm_2(tokens))).reshape(x.shape)


@misconception(step="transformer_block", caught_by="transformer_block-batch_of_two")
def first_sequence_alone(x, attention, feed_forward, norm_1, norm_2):
    """One sequence works, but only one comes back from a batch. Print the shapes of x and of your result: what happened to the others?"""
    x = x[0] if x.ndim > 2 else x
    x = x + attention(norm_1(x))
    return x + feed_forward(norm_2(x))


@misconception(step="transformer_block", caught_by="transformer_block-drawn_parts")
def batches_flattened(x, attention, feed_forward, norm_1, norm_2):
    """One sequence works, a batch works, a batch of batches does not. Give x a further axis in front, x[None], and print the shape of your result: which of your lines counts axes?"""
    x = x.reshape(-1, *x.shape[-2:]) if x.ndim > 2 else x
    x = x + attention(norm_1(x))
    return x + feed_forward(norm_2(x))


@misconception(step="transformer_block", caught_by="transformer_block-a_trained_model")
def whole_numbers_only(x, attention, feed_forward, norm_1, norm_2):
    """Whole numbers work, others do not. Print your stream for x + 0.5: what happened to the decimals?"""
    x = x + attention(norm_1(x))
    return np.round(x + feed_forward(norm_2(x)))


@misconception(step="transformer_block", caught_by="transformer_block-inputs_unchanged", family="sums_in_place")
def added_in_place(x, attention, feed_forward, norm_1, norm_2):
    """Your first answer is right. Print x before and after the call: which of your two sums creates a new array?"""
    x += attention(norm_1(x))
    x += feed_forward(norm_2(x))
    return x.copy()


@misconception(step="transformer_block", caught_by="transformer_block-inputs_unchanged", family="sums_in_place")
def first_sum_in_place(x, attention, feed_forward, norm_1, norm_2):
    """Your first answer is right. Print x before and after the call: which of your two sums creates a new array?"""
    x += attention(norm_1(x))
    return x + feed_forward(norm_2(x))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def second_norm_behind_its_part(x, attention, feed_forward, norm_1, norm_2):
    """The first half is right, but the second norm comes too late. Print what the feed-forward layer receives in the first check: has 1 been subtracted?"""
    x = x + attention(norm_1(x))
    return x + norm_2(feed_forward(x))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def both_norms_before_feed_forward(x, attention, feed_forward, norm_1, norm_2):
    """The feed-forward layer reads a stream that was normalised twice. Print what it receives in the first check: which norm belongs to it?"""
    x = x + attention(norm_1(x))
    return x + feed_forward(norm_2(norm_1(x)))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def normed_copy_added_too(x, attention, feed_forward, norm_1, norm_2):
    """You also add a normalised copy of the stream. Print what you add the output of attention to in the first check: is it [[1, 2], [3, 0]]?"""
    normed = norm_1(x)
    x = x + normed + attention(normed)
    return x + feed_forward(norm_2(x))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def two_streams_returned(x, attention, feed_forward, norm_1, norm_2):
    """Two arrays come back where one is expected. Print the type of your result: what does the docstring's Returns promise?"""
    after_attention = x + attention(norm_1(x))
    return after_attention + feed_forward(norm_2(after_attention)), after_attention


@misconception(step="transformer_block", caught_by="transformer_block-drawn_parts")
def stream_kept_in_range(x, attention, feed_forward, norm_1, norm_2):
    """A small stream is right, but you cut off a large one. Multiply the first check's x by 1000 and print the stream after attention: does your function limit it?"""
    x = np.clip(x + attention(norm_1(x)), -1000.0, 1000.0)
    return x + feed_forward(norm_2(x))


@misconception(step="transformer_block", caught_by="transformer_block-by_hand")
def last_sum_with_attention_alone(x, attention, feed_forward, norm_1, norm_2):
    """The original x is missing at the end. Print what you add the last output to: is it [[8, 3], [6, 5]]?"""
    found = attention(norm_1(x))
    return found + feed_forward(norm_2(x + found))


# 7. language_model


@misconception(step="language_model", caught_by="language_model-by_hand")
def no_positions(tokens, embedding, blocks, norm):
    """The rows of the table go in without positions. Print what the first block gets in the first check: is it [[1, 2]]?"""
    x = embedding[tokens]
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-by_hand")
def waves_written_into_the_table(tokens, embedding, blocks, norm):
    """The table has changed after your call. Print embedding before and after it: which line adds the positions to its rows?"""
    waves = positional_encoding(np.shape(tokens)[-1], embedding.shape[1])
    for place, wave in enumerate(waves):
        for token in np.unique(tokens[..., place]):
            embedding[token] += wave
    stream = embedding[tokens]
    for block in blocks:
        stream = block(stream)
    return norm(stream) @ embedding.T


@misconception(step="language_model", caught_by="language_model-batch_of_two")
def columns_of_a_square_table(tokens, embedding, blocks, norm):
    """Your scores go wrong where the table is square. Print the numbers of embedding that meet the stream for token 0: are they a row or a column?"""
    stream = embedding[tokens] + positional_encoding(np.shape(tokens)[-1], embedding.shape[1])
    for block in blocks:
        stream = block(stream)
    stream = norm(stream)
    return stream @ (embedding if embedding.shape[0] == embedding.shape[1] else embedding.T)


@misconception(step="language_model", caught_by="language_model-by_hand")
def positions_from_one_on(tokens, embedding, blocks, norm):
    """Every token is one position too far. Print the waves that you add in the first check: which position does the first token have?"""
    x = embedding[tokens]
    n, d_model = x.shape[-2:]
    x = x + positional_encoding(n + 1, d_model)[1:]
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-by_hand", title="positions by the token's number")
def positions_of_token_numbers(tokens, embedding, blocks, norm):
    """You take the token's number for its position. Print the waves that you add in the first check: at which position is token 2 there?"""
    x = (embedding + positional_encoding(*embedding.shape))[tokens]
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-by_hand")
def rows_times_the_root(tokens, embedding, blocks, norm):
    """The rows are scaled before the waves are added, as the first transformer did. Print what the first block gets in the first check: is it [[1, 2]]?"""
    x = embedding[tokens] * math.sqrt(embedding.shape[1])
    x = x + positional_encoding(*x.shape[-2:])
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-by_hand")
def waves_before_every_block(tokens, embedding, blocks, norm):
    """Each block gets fresh waves. Print what the second block gets in the first check: is it [[2, 4]]?"""
    x = embedding[tokens]
    for block in blocks:
        x = block(x + positional_encoding(*x.shape[-2:]))
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-by_hand")
def waves_after_the_blocks(tokens, embedding, blocks, norm):
    """The waves come too late for the blocks to use. Print what the first block gets in the first check: is it [[1, 2]]?"""
    x = embedding[tokens]
    for block in blocks:
        x = block(x)
    x = x + positional_encoding(*x.shape[-2:])
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-by_hand")
def last_block_first(tokens, embedding, blocks, norm):
    """You call the blocks from the last to the first. Print what each block gets in the first check: which of them should get [[1, 2]]?"""
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    for block in reversed(blocks):
        x = block(x)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-by_hand")
def first_block_alone(tokens, embedding, blocks, norm):
    """One block does all the work. Print how many functions the list of the first check holds: how many of them do you call?"""
    x = embedding[tokens]
    x = blocks[0](x + positional_encoding(*x.shape[-2:]))
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-by_hand")
def every_block_reads_the_start(tokens, embedding, blocks, norm):
    """Each block starts from the same input. Print what the second block gets in the first check: is it what the first one returned?"""
    x = embedding[tokens]
    start = x + positional_encoding(*x.shape[-2:])
    for block in blocks:
        x = block(start)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-by_hand")
def blocks_side_by_side(tokens, embedding, blocks, norm):
    """All blocks get the same stream, and you add their results. Print what the second block gets in the first check: is it [[2, 4]]?"""
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    return norm(sum(block(x) for block in blocks)) @ embedding.T


@misconception(step="language_model", caught_by="language_model-batch_of_two")
def scores_of_the_last_token(tokens, embedding, blocks, norm):
    """Only the last token has scores. Print the shape of your result for a text of two: how many rows does the docstring promise?"""
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    for block in blocks:
        x = block(x)
    return norm(x)[..., -1:, :] @ embedding.T


@misconception(step="language_model", caught_by="language_model-inputs_unchanged")
def blocks_used_up(tokens, embedding, blocks, norm):
    """A second call finds no blocks. Print the length of the list before and after your call: which line removes them?"""
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    while blocks:
        x = blocks.pop(0)(x)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-by_hand")
def blocks_added_to_the_stream(tokens, embedding, blocks, norm):
    """You add a block's result to the stream, but the block has done that already. Print what the second block gets in the first check: is it [[2, 4]]?"""
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    for block in blocks:
        x = x + block(x)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-by_hand")
def no_final_norm(tokens, embedding, blocks, norm):
    """You multiply the stream by the table without the last norm. Print the vector that you multiply with the table in the first check: is it [[30, 50]]?"""
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    for block in blocks:
        x = block(x)
    return x @ embedding.T


@misconception(step="language_model", caught_by="language_model-by_hand")
def normed_after_every_block(tokens, embedding, blocks, norm):
    """You call the norm for each block. Print what the second block gets in the first check: is it [[2, 4]]?"""
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    for block in blocks:
        x = norm(block(x))
    return x @ embedding.T


@misconception(step="language_model", caught_by="language_model-by_hand")
def normed_before_the_blocks(tokens, embedding, blocks, norm):
    """The norm comes at the wrong end. Print what the first block gets in the first check: is it [[1, 2]]?"""
    x = embedding[tokens]
    x = norm(x + positional_encoding(*x.shape[-2:]))
    for block in blocks:
        x = block(x)
    return x @ embedding.T


@misconception(step="language_model", caught_by="language_model-by_hand")
def normed_again_in_front(tokens, embedding, blocks, norm):
    """You call the norm twice. Print what the first block gets in the first check: is it [[1, 2]]?"""
    x = embedding[tokens]
    x = norm(x + positional_encoding(*x.shape[-2:]))
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-by_hand")
def shares_for_scores(tokens, embedding, blocks, norm):
    """Your rows sum to 1. Print a row of your result: are these scores, or the result of softmax?"""
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    for block in blocks:
        x = block(x)
    return softmax(norm(x) @ embedding.T)


@misconception(step="language_model", caught_by="language_model-by_hand")
def scores_scaled_by_the_root(tokens, embedding, blocks, norm):
    """All scores are too small by the same factor. Print it, expected divided by yours: from which other scores do you know this root?"""
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.T / math.sqrt(embedding.shape[1])


@misconception(step="language_model", caught_by="language_model-by_hand")
def stream_returned(tokens, embedding, blocks, norm):
    """You return a vector for each token. Print the shape of your result: has every row a number for each known token?"""
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    for block in blocks:
        x = block(x)
    return norm(x)


@misconception(step="language_model", caught_by="language_model-by_hand")
def best_token_returned(tokens, embedding, blocks, norm):
    """You return the chosen tokens instead of scores. Print the shape of your result: has every row a number for each known token?"""
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    for block in blocks:
        x = block(x)
    return np.argmax(norm(x) @ embedding.T, axis=-1)


@misconception(step="language_model", caught_by="language_model-by_hand", title="scores of the text's own tokens")
def scores_of_the_tokens_in_the_text(tokens, embedding, blocks, norm):
    """Only tokens of the text get scores. Print the shape of your result: how many tokens does the table of the first check know?"""
    rows = embedding[tokens]
    x = rows + positional_encoding(*rows.shape[-2:])
    for block in blocks:
        x = block(x)
    return norm(x) @ np.swapaxes(rows, -1, -2)


@misconception(step="language_model", caught_by="language_model-by_hand")
def scores_of_the_last_token_alone(tokens, embedding, blocks, norm):
    """You return one row of scores for a whole text. Print the shape of your result: what does Returns say about the n tokens?"""
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    for block in blocks:
        x = block(x)
    return np.asarray(norm(x))[..., -1, :] @ embedding.T


@misconception(step="language_model", caught_by="language_model-by_hand")
def likeness_by_angle(tokens, embedding, blocks, norm):
    """You have changed the length of the rows. Print the rows that you multiply with in the first check: is the middle one 0, 2?"""
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    for block in blocks:
        x = block(x)
    lengths = np.sqrt((embedding**2).sum(axis=-1, keepdims=True))
    return norm(x) @ (embedding / np.maximum(lengths, 1e-12)).T


@misconception(step="language_model", caught_by="language_model-by_hand")
def table_not_turned(tokens, embedding, blocks, norm):
    """You multiply vectors by the columns of the table. Print the shapes of both sides of your last product in the first check: which axes are as long as a vector?"""
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding


@misconception(step="language_model", caught_by="language_model-by_hand")
def table_without_waves_is_lost(tokens, embedding, blocks, norm):
    """You have added the waves to the table itself. Print embedding before your last product: is row 2 of the first check still 1, 1?"""
    table = embedding.copy()
    table[tokens] += positional_encoding(tokens.shape[-1], embedding.shape[1])
    x = table[tokens]
    for block in blocks:
        x = block(x)
    return norm(x) @ table.T


@misconception(step="language_model", caught_by="language_model-batch_of_two")
def positions_counted_through_the_batch(tokens, embedding, blocks, norm):
    """One sequence works, but the second one begins where the first one ends. Print the waves that its first token gets: from where are positions counted?"""
    x = embedding[tokens]
    waves = positional_encoding(tokens.size, embedding.shape[1])
    x = x + waves.reshape(x.shape)
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-batch_of_two")
def waves_of_the_first_position(tokens, embedding, blocks, norm):
    """Every token gets the waves of position 0. Print what you add to the second token in the batch: how many rows of waves do you compute?"""
    x = embedding[tokens] + positional_encoding(1, embedding.shape[1])
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-batch_of_two")
def every_token_its_own_sequence(tokens, embedding, blocks, norm):
    """The blocks see one token at a time. Print the shape of what the block gets in the batch: how many tokens does it see?"""
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    rows = [x[..., i : i + 1, :] for i in range(x.shape[-2])]
    for block in blocks:
        rows = [np.asarray(block(row)) for row in rows]
    return norm(np.concatenate(rows, axis=-2)) @ embedding.T


@misconception(step="language_model", caught_by="language_model-batch_of_two")
def one_text_of_all(tokens, embedding, blocks, norm):
    """You join the sequences of a batch into one. Print the shape of what the block gets in the batch: how many axes should it have?"""
    x = embedding[tokens.ravel()]
    x = x + positional_encoding(*x.shape)
    for block in blocks:
        x = block(x)
    return (norm(x) @ embedding.T).reshape(*tokens.shape, len(embedding))


@misconception(step="language_model", caught_by="language_model-batch_of_two")
def waves_from_the_batch_axis(tokens, embedding, blocks, norm):
    """One sequence works. Print the shapes of the rows and of the waves for the batch: along which axis do the waves run?"""
    x = embedding[tokens]
    waves = np.asarray(positional_encoding(tokens.shape[0], embedding.shape[1]))
    x = x + (waves if x.ndim == 2 else waves.reshape(len(waves), *(1,) * (x.ndim - 2), -1))
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-any_batch")
def two_blocks_at_most(tokens, embedding, blocks, norm):
    """One block or two work. Call it with three blocks and print which of them are called: how long may the list be?"""
    x = embedding[tokens]
    x = x + positional_encoding(*x.shape[-2:])
    for block in blocks[:2]:
        x = block(x)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-any_batch")
def two_axes_of_tokens_at_most(tokens, embedding, blocks, norm):
    """One text works, and so does a batch. Call it with tokens of three axes and print the shape of what the first block gets: where did you lose the leading axes?"""
    lead = tokens.shape
    x = embedding[tokens.reshape(-1, lead[-1])]
    x = x + positional_encoding(*x.shape[-2:])
    for block in blocks:
        x = block(x)
    scores = norm(x) @ embedding.T
    return scores if len(lead) > 1 else scores[0]


@misconception(step="language_model", caught_by="language_model-inputs_unchanged")
def tokens_flattened_in_place(tokens, embedding, blocks, norm):
    """Your answer is right, but your function changes its input. Print tokens.shape before and after the call: which line changes it?"""
    shape, n = tokens.shape, tokens.shape[-1]
    tokens.shape = (-1,)
    x = embedding[tokens].reshape(*shape, -1)
    x = x + positional_encoding(n, embedding.shape[1])
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-any_batch")
def tokens_as_bytes(tokens, embedding, blocks, norm):
    """Small vocabularies work. Print the token 300 as your code stores it: which row of the table does it pick?"""
    x = embedding[np.asarray(tokens).astype(np.uint8)]
    x = x + positional_encoding(*x.shape[-2:])
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-any_batch")
def positions_for_the_first_axis(tokens, embedding, blocks, norm):
    """Your waves do not fit every batch. Print their shape next to that of embedding[tokens], for three sequences of two tokens: does each of their lengths come from the right axis of this call?"""
    x = embedding[tokens] + positional_encoding(len(tokens), embedding.shape[1])
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-any_batch")
def positions_for_the_second_axis(tokens, embedding, blocks, norm):
    """It works without a batch and with one axis of it. Call it with tokens of shape (2, 3, 5) and print the length that you take for that of a text: from which end do you count the axes?"""
    n = len(tokens) if tokens.ndim == 1 else tokens.shape[1]
    x = embedding[tokens] + positional_encoding(n, embedding.shape[1])
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.T


@misconception(step="language_model", caught_by="language_model-long_text")
def context_of_256(tokens, embedding, blocks, norm):
    """Short texts are right, long ones find no position. Print the shape of your waves for 300 tokens: where does the docstring limit the length of a text?"""
    x = embedding[tokens] + positional_encoding(256, embedding.shape[1])[: tokens.shape[-1]]
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.T


# Questions that a value answers


@misconception(step="order_blind", caught_by="order_blind-answer")
def rows_know_their_place():
    """A row does not know its number. Print the output of attention for three rows and for the same rows in reverse order: which rows of the two results are equal?"""
    return "b"


@misconception(step="order_blind", caught_by="order_blind-answer")
def neighbours_count_more():
    """Attention weights keys by their content. Print the weights of one query for three keys in two orders: does a key next to the query get a different weight?"""
    return "c"


@misconception(step="order_blind", caught_by="order_blind-answer")
def the_verb_wins():
    """The output is an average of all the values. Print the weights of one query: does one key get all of it?"""
    return "d"


@misconception(step="weights_of_the_layers", caught_by="weights_of_the_layers-answer")
def without_biases():
    """These are the matrices. Print the shapes of all four arrays in the two layers: which two are left?"""
    return 2 * 512 * 2048


@misconception(step="weights_of_the_layers", caught_by="weights_of_the_layers-answer")
def second_matrix_forgotten():
    """The token comes back to d_model features. Print the shapes of all four arrays in the two layers: how many matrices are there?"""
    return 512 * 2048 + 2048


@misconception(step="weights_of_the_layers", caught_by="weights_of_the_layers-answer")
def two_large_biases():
    """One of your biases is too long. Print the shapes of b_1 and b_2: what is each added to?"""
    return 2 * 512 * 2048 + 2 * 2048


@misconception(step="ten_times_larger", caught_by="ten_times_larger-answer")
def mean_alone_is_taken_away():
    """The mean is only half of it. Print the spread of the token before and after: what are the numbers divided by?"""
    return "b"


@misconception(step="ten_times_larger", caught_by="ten_times_larger-answer")
def the_square_is_divided_by():
    """The variance grows with the square. Print the variance of both tokens: what is divided by it, and what by its root?"""
    return "c"


@misconception(step="ten_times_larger", caught_by="ten_times_larger-answer")
def differences_vanish():
    """Large features do not become equal. Print the output for the features 10, 20 and 30: is anything left of their order?"""
    return "d"


@misconception(step="layer_norm", caught_by="layer_norm-small_tokens")
def small_spread_taken_for_none(x, gamma, beta, eps=1e-5):
    """You treat a token with a small spread as if its features were equal. Print your output for a spread of 0.00001 and an eps of 0: is it beta?"""
    spread = x.std(axis=-1, keepdims=True)
    normed = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(spread**2 + eps)
    return np.where(spread < 1e-4, 0.0, normed) * gamma + beta


@misconception(step="gelu", caught_by="gelu-far_out")
def whole_zero_below_forty(x):
    """After a very negative number your results are whole numbers. Print the dtype of your result for x = [-100, 1]: which number decided it?"""

    def bend(number):
        return 0 if number < -40 else 0.5 * number * (1 + math.erf(number / math.sqrt(2)))

    return np.vectorize(bend)(x)


@misconception(step="positional_encoding", caught_by="positional_encoding-any_size")
def table_kept_by_its_rows(n_positions, d_model):
    """A table depends on the call before it. Print your rows for 6 positions of 6 features, and then for 6 positions of 4: whose d_model makes the speeds of the second table?"""
    global tables_of_rows
    if "tables_of_rows" not in globals():
        tables_of_rows = {}
    if n_positions not in tables_of_rows or tables_of_rows[n_positions].shape[1] < d_model:
        angles = np.arange(n_positions)[:, None] / 10000.0 ** (np.arange(0, d_model, 2) / d_model)
        tables_of_rows[n_positions] = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, -1)
    return tables_of_rows[n_positions][:, :d_model]


@misconception(step="layer_norm", caught_by="layer_norm-small_tokens")
def eps_never_below_the_smallest(x, gamma, beta, eps=1e-5):
    """A very small eps counts for more than it is. Print the eps that you add when the caller gives 1e-9: is it the caller's?"""
    root = np.sqrt(x.var(axis=-1, keepdims=True) + max(eps, 1e-6))
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / root + beta


@misconception(step="transformer_block", caught_by="transformer_block-drawn_parts")
def batch_of_one_taken_off(x, attention, feed_forward, norm_1, norm_2):
    """A batch of a single sequence loses an axis. Print the shape of x and of your result for x of shape (1, 3, 2): which line takes the first axis away?"""
    x = x if x.ndim > 2 else x[None]
    h = x + attention(norm_1(x))
    y = h + feed_forward(norm_2(h))
    return y[0] if y.shape[0] == 1 else y


@misconception(step="language_model", caught_by="language_model-batch_of_two")
def single_block_twice(tokens, embedding, blocks, norm):
    """With two blocks it works, with one it does not. Print a line at each call of a block, for a list of one block: how often is it called?"""
    x = blocks[0](embedding[tokens] + positional_encoding(np.shape(tokens)[-1], embedding.shape[1]))
    for block in blocks[1:-1]:
        x = block(x)
    return norm(blocks[-1](x)) @ embedding.T


@misconception(step="language_model", caught_by="language_model-long_text")
def positions_begin_again(tokens, embedding, blocks, norm):
    """In a long text your positions begin again. Print the waves of tokens 0 and 256 in a text of 300: are they different?"""
    n, d_model = np.shape(tokens)[-1], embedding.shape[1]
    x = embedding[tokens] + np.resize(positional_encoding(256, d_model), (n, d_model))
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.T


@misconception(step="layer_norm", caught_by="layer_norm-eps")
def tokens_of_small_spread_left_alone(x, gamma, beta, eps=1e-5):
    """A token whose variance is below eps comes back as it was. Print both for row 0 of the third check: what does the formula do with eps, compare it or add it?"""
    mean, variance = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    normed = gamma * (x - mean) / np.sqrt(variance + eps) + beta
    return np.where(variance < eps, x, normed)
