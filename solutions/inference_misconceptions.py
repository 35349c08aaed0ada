"""What people get wrong about inference, as functions, each with the question that helps.

Every function here is a wrong answer to one step. Its decorator names the step and the first check that must
fail; its docstring is the hint that a student reads. A hint says what shows, what to print, and asks one question;
it never holds the repair. Names are for teachers: no student sees them. Entries of one `family` answer alike, or are
helped by the same question.

An entry stands by itself, as if handed in: it uses `np`, `math`, the functions of `attention` that the exercise
needs, and the functions of earlier steps, which are right. `autograder prove inference` holds every entry, and every
check, to its promise.
"""

import math

import numpy as np

from autograder.exercises.misconceptions import misconception

UNCLAIMED = {
    "flash_attention-one_of_each": "it asks with other sizes what one_query_one_key asks before it",
    "grouped_query_attention-large_scores": "it asks with drawn numbers what thousands asks before it",
    "rope-in_a_trained_model": "it holds a step in a real model against stored scores; smaller checks see it all first",
    "grouped_query_attention-in_a_trained_model": "as rope's",
    "cached_step-in_a_trained_model": "as rope's",
    "cached_step-one_beginning": "it asks with drawn texts what two_continuations asks before it",
    "flash_attention-many_keys": "it asks with drawn numbers what memory asks before it",
    "flash_attention-in_a_trained_model": "as rope's",
}

ALIKE = {
    "base_always_the_same, divided_in_even_steps, exponent_doubled, last_pair_reaches_the_base": "Your second pair turns "
    "at the wrong speed. Print the base and the speeds of both pairs in the second check: which power of 100 makes a tenth?",
    "blocks_scaled_by_a_whole_number, scaled_by_the_number_of_keys, two_hundred_fifty_six_keys_at_most_in_blocks, "
    "a_thousand_keys_at_most, queries_scaled_in_place_for_blocks, all_scores_first, blocks_collected": "You store too much "
    "at once. Print the shapes of your arrays in the last visible check: which of them has an axis for all 800 keys?",
    "appended_in_place, dictionary_filled_in_place": "The second of two texts with the same start reads a token of the first. "
    "Print the cache you are given, before and after your call: which line changes it?",
    "one_cache_for_all_texts, room_filled_in_place": "Two texts with the same start write into the same place. Print what your "
    "cache holds for token b once c has been read: which text does it belong to now?",
    "joined_along_the_first_axis, texts_read_each_other": "Each of two texts also reads the other one. Print the shape of "
    "your keys after the first token of both: which axis is for the texts, and which one for the tokens?",
    "one_maximum_for_all_texts, largest_score_of_all_steps": "Low scores fail where others are high. Print the number that you "
    "subtract for each query: is it the largest of this query's own scores?",
    "step_without_a_shift, step_shifted_by_the_first": "Scores in the thousands break it. Print the numbers that your "
    "exponential gets in the last visible check: how large may they be before it overflows?",
}

BY_CHECKS = {
    "cached_step": "what a call gets depends on the cache, which every student builds in another way"
}


# 1. rope


@misconception(step="rope", caught_by="rope-by_hand")
def turned_clockwise(x, positions, base=10000.0):
    """Your tokens turn in the wrong direction. Print where (1, 0) lands at position 1: is its second feature above 0?"""
    angles = positions[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos + second * sin, second * cos - first * sin], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-by_hand")
def sine_and_cosine_exchanged(x, positions, base=10000.0):
    """At position 0 your tokens should not change, but they do. Print (3, 4) turned by an angle of 0: which of sine and cosine is 1 there?"""
    angles = positions[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * sin - second * cos, first * cos + second * sin], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-by_hand")
def positions_from_one(x, positions, base=10000.0):
    """You turn even the token at position 0. Print its angle: what is 0 times anything?"""
    angles = (positions[:, None] + 1) * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-by_hand")
def angles_in_degrees(x, positions, base=10000.0):
    """Your tokens hardly turn. Print the cosine of your angle at position 1, and cos(1) from a pocket calculator: which unit does each use?"""
    angles = np.deg2rad(positions[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1]))
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-by_hand")
def positions_added(x, positions, base=10000.0):
    """Your tokens are shifted, not turned. Print the length of (1, 0) before and after: does a turn change a length?"""
    angles = positions[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    encoding = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(positions), -1)
    return x + encoding


@misconception(step="rope", caught_by="rope-by_hand")
def multiplied_by_waves(x, positions, base=10000.0):
    """You only make each feature smaller. Print (1, 0) at position 1: where should its second feature come from?"""
    angles = positions[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    waves = np.stack([np.cos(angles), np.sin(angles)], axis=-1).reshape(len(positions), -1)
    return x * waves


@misconception(step="rope", caught_by="rope-by_hand")
def no_minus(x, positions, base=10000.0):
    """Some of your tokens become longer. Print the length of (0, 1) before and after: which sign does each entry have in the matrix of the formula?"""
    angles = positions[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos + second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-by_hand")
def first_feature_used_after_it_was_overwritten(x, positions, base=10000.0):
    """The first feature of each pair is right, the second is not. Print what your second line reads as the first feature: is it still the original value?"""
    result = np.array(x, dtype=float)
    angles = positions[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    result[..., 0::2] = result[..., 0::2] * np.cos(angles) - result[..., 1::2] * np.sin(angles)
    result[..., 1::2] = result[..., 0::2] * np.sin(angles) + result[..., 1::2] * np.cos(angles)
    return result


@misconception(step="rope", caught_by="rope-by_hand")
def not_turned_at_all(x, positions, base=10000.0):
    """Your tokens do not turn. Print (1, 0) at positions 0 and 1: should both be the same?"""
    return np.array(x, dtype=float)


@misconception(step="rope", caught_by="rope-by_hand")
def positions_divided_by_the_length(x, positions, base=10000.0):
    """Your angles are too small. Print the angle of the first pair at position 1: should it depend on other tokens?"""
    angles = (
        positions[:, None] / len(positions) * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    )
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-by_hand")
def frequency_one_pair_late(x, positions, base=10000.0):
    """Your first pair turns too slowly. Print its angle at position 1: which number does i start at?"""
    angles = positions[:, None] * base ** (-np.arange(2, x.shape[-1] + 2, 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-by_hand")
def the_whole_turn_in_positions(x, positions, base=10000.0):
    """Your tokens make a full turn at every position. Print the angle at position 1: how many radians should it be?"""
    angles = 2 * np.pi * positions[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-two_speeds")
def halves_instead_of_neighbours(x, positions, base=10000.0):
    """Two features work, four do not. Print which features share an angle in your function: are the two features of a pair neighbours?"""
    half = x.shape[-1] // 2
    angles = positions[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1)


@misconception(step="rope", caught_by="rope-two_speeds")
def pairs_taken_apart_and_left_so(x, positions, base=10000.0):
    """All the numbers are there, but in a different order. Print the turned features of one token: are the two features of a pair neighbours again?"""
    angles = positions[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1)


@misconception(step="rope", caught_by="rope-two_speeds")
def one_speed_for_all_pairs(x, positions, base=10000.0):
    """All your pairs turn at the same speed. Print the angles of both pairs at position 1: which of them should be smaller?"""
    cos, sin = np.cos(positions)[:, None], np.sin(positions)[:, None]
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-two_speeds", family="exponent")
def exponent_without_the_two(x, positions, base=10000.0):
    """Your second pair turns too fast. Print its angle for each position in the second check: which power of the base makes it a tenth?"""
    angles = positions[:, None] * base ** (-np.arange(x.shape[-1] // 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-two_speeds", family="exponent")
def exponent_doubled(x, positions, base=10000.0):
    """Your second pair turns too slowly. Print its angle for each position in the second check: which power of the base makes it a tenth?"""
    angles = positions[:, None] * base ** (-2 * np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-two_speeds")
def faster_and_faster(x, positions, base=10000.0):
    """Your second pair turns faster than the first. Print the angles of both at position 1: which sign does the exponent have?"""
    angles = positions[:, None] * base ** (np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-by_hand")
def an_angle_for_each_feature(x, positions, base=10000.0):
    """The two features of a pair do not turn together. Print the angles of features 0 and 1: how many different angles should a pair have?"""
    angles = positions[:, None] * base ** (-np.arange(x.shape[-1]) / x.shape[-1])
    partner = np.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)
    return x * np.cos(angles) + partner * np.sin(angles)


@misconception(step="rope", caught_by="rope-two_speeds")
def positions_ignored(x, positions, base=10000.0):
    """You turn by the number of the row. Print the positions of the second check: which of them belongs to row 0?"""
    angles = np.arange(x.shape[-2])[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-two_speeds")
def positions_in_order(x, positions, base=10000.0):
    """Your rows have swapped positions. Print the positions you are given and those you use: which line sorts them?"""
    angles = np.sort(positions)[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-two_speeds")
def distance_from_the_first(x, positions, base=10000.0):
    """You never turn the first row. Print its position in the second check, and the angle that you use: must a text begin at 0?"""
    angles = (positions - positions[0])[:, None] * base ** (
        -np.arange(0, x.shape[-1], 2) / x.shape[-1]
    )
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-two_speeds")
def base_always_the_same(x, positions, base=10000.0):
    """Your second pair turns as slowly as if the base were not 100. Print the base inside your function: where do you use it?"""
    angles = positions[:, None] * 10000.0 ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-two_speeds")
def only_the_first_pair(x, positions, base=10000.0):
    """Only two features change. Print one token before and after: how many pairs does it have?"""
    result = np.array(x, dtype=float)
    cos, sin = np.cos(positions), np.sin(positions)
    result[..., 0] = x[..., 0] * cos - x[..., 1] * sin
    result[..., 1] = x[..., 0] * sin + x[..., 1] * cos
    return result


@misconception(step="rope", caught_by="rope-two_speeds")
def divided_in_even_steps(x, positions, base=10000.0):
    """Your second pair turns at the wrong speed. Print both speeds in the second check: is their ratio a power of the base?"""
    pairs = x.shape[-1] // 2
    angles = positions[:, None] / np.linspace(1.0, base, pairs)
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-two_speeds")
def last_pair_reaches_the_base(x, positions, base=10000.0):
    """Your last pair turns too slowly. Print the speeds of both pairs in the second check: by how much do you divide i?"""
    pairs = x.shape[-1] // 2
    angles = positions[:, None] * base ** (-np.arange(pairs) / max(pairs - 1, 1))
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-any_positions")
def speeds_for_four_features(x, positions, base=10000.0):
    """It is right for two and four features, and wrong for six. Print the speeds of all pairs for d = 6: which of your numbers depends on d?"""
    angles = positions[:, None] * base ** (-np.arange(x.shape[-1] // 2) / 2)
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-position_10000")
def a_table_that_ends(x, positions, base=10000.0):
    """Early positions work, late ones break your function. Print the largest position that it can look up: how far does the docstring go?"""
    table = np.arange(2048)[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(table[positions]), np.sin(table[positions])
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-position_10000")
def a_table_that_ends_one_too_early(x, positions, base=10000.0):
    """Every position works except the very last one. Print the largest position that you can look up: does the docstring name a larger one?"""
    table = np.arange(10000)[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(table[positions]), np.sin(table[positions])
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-position_10000")
def last_position_taken_for_the_one_before(x, positions, base=10000.0):
    """Two positions turn by the same angle. Print your angles for the positions 9999 and 10000: should they be equal?"""
    places = np.clip(positions, 0, 9999)
    angles = places[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-distance")
def a_short_table(x, positions, base=10000.0):
    """Positions below 64 work. Print the last one that your table holds: how far does the docstring go?"""
    table = np.arange(64)[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(table[positions]), np.sin(table[positions])
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-any_positions")
def angles_in_single_precision(x, positions, base=10000.0):
    """Far from the start your tokens turn slightly too far, or not far enough. Print your angle for position 9999 and the second pair with all its digits: how many of them can float32 hold?"""
    d = x.shape[-1]
    speeds = np.float32(base) ** (-np.arange(0, d, 2, dtype=np.float32) / np.float32(d))
    angles = np.asarray(positions, dtype=np.float32)[:, None] * speeds
    cos, sin = np.cos(angles), np.sin(angles)
    turned = np.empty(x.shape)
    turned[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
    turned[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
    return turned


@misconception(step="rope", caught_by="rope-batch_of_two")
def positions_of_the_first_axis(x, positions, base=10000.0):
    """One text works, several do not. Stack the first check's tokens twice and print the shapes of x and of your angles: which axis of x is for the tokens?"""
    angles = positions[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    if x.ndim > 2:
        angles = angles.reshape(len(positions), *[1] * (x.ndim - 2), -1)
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-batch_of_two")
def exactly_two_axes(x, positions, base=10000.0):
    """One text works, several do not. Stack the first check's tokens twice and print their shape: which of your lines assumes exactly two axes?"""
    n, d = x.shape
    result = np.zeros((n, d))
    for row in range(n):
        for i in range(d // 2):
            angle = positions[row] * base ** (-2 * i / d)
            a, b = x[row, 2 * i], x[row, 2 * i + 1]
            result[row, 2 * i] = a * math.cos(angle) - b * math.sin(angle)
            result[row, 2 * i + 1] = a * math.sin(angle) + b * math.cos(angle)
    return result


@misconception(step="rope", caught_by="rope-any_batch")
def two_leading_axes_at_most(x, positions, base=10000.0):
    """Several texts work, and so do stacks of them, but not stacks of stacks. Print the numbers of axes that your function handles: how many does the docstring allow?"""
    *lead, n, d = x.shape
    angles = positions[:, None] * base ** (-np.arange(0, d, 2) / d)
    cos, sin = np.cos(angles), np.sin(angles)
    if len(lead) == 0:
        texts = x[None, None]
    elif len(lead) == 1:
        texts = x[None]
    else:
        texts = x
    result = np.zeros(texts.shape)
    outer, inner, n, d = texts.shape
    for i in range(outer):
        for j in range(inner):
            first, second = texts[i, j, :, 0::2], texts[i, j, :, 1::2]
            result[i, j, :, 0::2] = first * cos - second * sin
            result[i, j, :, 1::2] = first * sin + second * cos
    return result.reshape(x.shape)


@misconception(step="rope", caught_by="rope-any_batch")
def features_counted_on_axis_one(x, positions, base=10000.0):
    """One text works, several do not. Stack the first check's tokens twice and print what you take for the number of features: from which end do you count axes?"""
    d = x.shape[1]
    angles = positions[:, None] * base ** (-np.arange(0, d, 2) / d)
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-two_speeds")
def slowest_pair_first(x, positions, base=10000.0):
    """The speeds of your pairs are swapped. Print the angles of both pairs at position 1: which of them turns faster?"""
    angles = positions[:, None] * (base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1]))[::-1]
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-position_10000")
def another_default(x, positions, base=10000.0):
    """It works when the call gives a base, but not without one. Print the base inside your function in the first check: is it the one in the docstring?"""
    base = 1000.0 if base == 10000.0 else base
    angles = positions[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-inputs_unchanged")
def turned_in_place(x, positions, base=10000.0):
    """Your first answer is right. Print x before and after the call: whose array did your function write into?"""
    angles = positions[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2].copy(), x[..., 1::2].copy()
    x[..., 0::2] = first * cos - second * sin
    x[..., 1::2] = first * sin + second * cos
    return x


@misconception(step="rope", caught_by="rope-inputs_unchanged")
def each_text_turned_in_place(x, positions, base=10000.0):
    """One text works, but several are overwritten. Print x before and after a call with two texts: where did your function put its results?"""
    if x.ndim > 2:
        for i in range(len(x)):
            x[i] = each_text_turned_in_place(x[i], positions, base)
        return x.copy()
    angles = positions[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(
        x.shape
    )


@misconception(step="rope", caught_by="rope-any_positions")
def one_row_for_each_position(x, positions, base=10000.0):
    """Where a position comes twice, both rows become the same. Print how many rows you keep for the positions 3, 3: what do you use to look up a row?"""
    d, rows = x.shape[-1], {}
    for i, position in enumerate(np.asarray(positions).tolist()):
        angles = position * base ** (-np.arange(0, d, 2) / d)
        a, b, c, s = x[..., i, 0::2], x[..., i, 1::2], np.cos(angles), np.sin(angles)
        rows[position] = np.stack([a * c - b * s, a * s + b * c], axis=-1).reshape(*x.shape[:-2], d)
    return np.stack([rows[position] for position in np.asarray(positions).tolist()], axis=-2)


# 2. grouped_query_attention


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def dealt_out_like_cards(Q, K, V):
    """Query heads 1 and 2 read from the wrong place. Print which head of keys each query head uses: do neighbours share?"""
    times = len(Q) // len(K)
    return scaled_dot_product_attention(Q, np.tile(K, (times, 1, 1)), np.tile(V, (times, 1, 1)))[0]


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-groups")
def divided_by_the_number_of_groups(Q, K, V):
    """Four heads in two groups are right, six heads in two groups are not. Print which head of K each head of Q reads for h = 6 and g = 2: how many heads of Q share one head of K?"""
    out = []
    for i in range(len(Q)):
        j = i // len(K) % len(K)
        s = Q[i] @ K[j].T / np.sqrt(Q.shape[-1])
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        out.append(e / e.sum(axis=-1, keepdims=True) @ V[j])
    return np.array(out)


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def first_head_for_all(Q, K, V):
    """The last two heads read the same keys as the first two. Print how many heads of keys you use: how many are there?"""
    return np.stack([scaled_dot_product_attention(q, K[0], V[0])[0] for q in Q])


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def mean_of_all_heads(Q, K, V):
    """Every query head reads a mixture. Print the keys that query head 0 meets: are they those of one head?"""
    return np.stack([scaled_dot_product_attention(q, K.mean(axis=0), V.mean(axis=0))[0] for q in Q])


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def keys_in_groups_values_dealt_out(Q, K, V):
    """Your weights are right, but you average the wrong values. Print which head of keys and which head of values each query head uses: may they differ?"""
    times = len(Q) // len(K)
    return scaled_dot_product_attention(Q, np.repeat(K, times, axis=0), np.tile(V, (times, 1, 1)))[
        0
    ]


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def tokens_repeated_instead_of_heads(Q, K, V):
    """The heads of Q do not fit those of K. Print both shapes where you multiply them: which axis has to grow, and which of yours did?"""
    times = len(Q) // len(K)
    return scaled_dot_product_attention(
        Q, np.repeat(K, times, axis=1), np.repeat(V, times, axis=1)
    )[0]


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def one_query_head_a_group(Q, K, V):
    """There are too few heads in your output. Print its shape: how many query heads are there?"""
    group = len(Q) // len(K)
    return scaled_dot_product_attention(Q[::group], K, V)[0]


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def queries_averaged_in_their_group(Q, K, V):
    """The heads of a group all have the same output. Print their queries as you use them: does each head still have its own?"""
    h, n, d = Q.shape
    group = h // len(K)
    asked = Q.reshape(len(K), group, n, d).mean(axis=1)
    return np.repeat(scaled_dot_product_attention(asked, K, V)[0], group, axis=0)


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def groups_left_apart(Q, K, V):
    """All numbers are there, but with one axis too many. Print the shape of your output: what does the docstring promise?"""
    h, n, d = Q.shape
    grouped = Q.reshape(len(K), h // len(K), n, d)
    return np.stack(
        [
            np.stack([scaled_dot_product_attention(q, k, v)[0] for q in qs])
            for qs, k, v in zip(grouped, K, V)
        ]
    )


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def heads_side_by_side(Q, K, V):
    """You join the heads, as the next layer would need them. Print the shape of your output: which axis comes first in the docstring?"""
    group = len(Q) // len(K)
    heads = [
        scaled_dot_product_attention(Q[i], K[i // group], V[i // group])[0] for i in range(len(Q))
    ]
    return np.concatenate(heads, axis=-1)


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def weights_returned_too(Q, K, V):
    """Two things come back where one is expected. Print the type of your result: what does the docstring's Returns promise?"""
    group = len(Q) // len(K)
    return scaled_dot_product_attention(Q, np.repeat(K, group, axis=0), np.repeat(V, group, axis=0))


@misconception(
    step="grouped_query_attention",
    caught_by="grouped_query_attention-by_hand",
    family="not_scaled_by_d",
)
def not_scaled(Q, K, V):
    """Your weights favour one key too much. Print the scores of query head 0 before softmax: are they log 3 and 0?"""
    group = len(Q) // len(K)
    K, V = np.repeat(K, group, axis=0), np.repeat(V, group, axis=0)
    return softmax(Q @ np.swapaxes(K, -1, -2)) @ V


@misconception(
    step="grouped_query_attention",
    caught_by="grouped_query_attention-by_hand",
    family="not_scaled_by_d",
)
def scaled_by_all_heads(Q, K, V):
    """Your weights are too even. Print the scores of query head 0 before softmax: are they log 3 and 0?"""
    group = len(Q) // len(K)
    K, V = np.repeat(K, group, axis=0), np.repeat(V, group, axis=0)
    return softmax(Q @ np.swapaxes(K, -1, -2) / math.sqrt(len(Q) * Q.shape[-1])) @ V


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def shares_out_over_queries(Q, K, V):
    """Your outputs are far too large. Print the weights of query head 0 and their sums: which weights should sum to 1?"""
    group = len(Q) // len(K)
    K, V = np.repeat(K, group, axis=0), np.repeat(V, group, axis=0)
    return softmax(Q @ np.swapaxes(K, -1, -2) / math.sqrt(Q.shape[-1]), axis=-2) @ V


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def summed_over_the_group(Q, K, V):
    """The heads of a group all have the same output, and it is too large. Print the output of query head 0 and of head 1: what did you sum over?"""
    group = len(Q) // len(K)
    heads = scaled_dot_product_attention(
        Q, np.repeat(K, group, axis=0), np.repeat(V, group, axis=0)
    )[0]
    summed = heads.reshape(len(K), group, *heads.shape[1:]).sum(axis=1)
    return np.repeat(summed, group, axis=0)


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def groups_from_the_end(Q, K, V):
    """Your first heads read what the last ones should. Print which head of keys query head 0 uses: which one comes first in the table?"""
    group = len(Q) // len(K)
    return scaled_dot_product_attention(
        Q, np.repeat(K[::-1], group, axis=0), np.repeat(V[::-1], group, axis=0)
    )[0]


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def blocks_glued_by_reshape(Q, K, V):
    """The shapes fit, but the numbers of your heads are mixed up. Print the keys of query head 1 and those of key head 0: are they the same?"""
    group = len(Q) // len(K)
    K = np.repeat(K, group, axis=-1).reshape(len(Q), K.shape[1], -1)
    V = np.repeat(V, group, axis=-1).reshape(len(Q), V.shape[1], -1)
    return scaled_dot_product_attention(Q, K, V)[0]


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def last_head_for_the_rest(Q, K, V):
    """Only your first query head has keys of its own. Print which head of keys each query head uses: how large is each group?"""
    return np.stack(
        [
            scaled_dot_product_attention(Q[i], K[min(i, len(K) - 1)], V[min(i, len(K) - 1)])[0]
            for i in range(len(Q))
        ]
    )


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-one_for_all")
def causal_all_the_same(Q, K, V):
    """The first token of each head reads only itself. Print the weights of query 0: does the docstring mention a mask?"""
    group = len(Q) // len(K)
    allowed = causal_mask(Q.shape[1], max(Q.shape[1], K.shape[1]))[:, : K.shape[1]]
    return scaled_dot_product_attention(
        Q, np.repeat(K, group, axis=0), np.repeat(V, group, axis=0), allowed
    )[0]


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-one_for_all")
def groups_of_two_always(Q, K, V):
    """It works for groups of two. Print h and g in the second check: where does your function get the size of a group?"""
    return np.stack(
        [scaled_dot_product_attention(Q[i], K[i // 2], V[i // 2])[0] for i in range(len(Q))]
    )


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-one_for_all")
def number_of_groups_for_their_size(Q, K, V):
    """It works where there are as many groups as heads in each group. Print h, g and the head of keys that each query head uses in the second check: what do you divide by?"""
    g = len(K)
    return np.stack(
        [scaled_dot_product_attention(Q[i], K[i // g], V[i // g])[0] for i in range(len(Q))]
    )


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-groups")
def two_groups_at_most(Q, K, V):
    """Two groups work, three do not. Print which head of keys each of six query heads uses, when there are three: is each of the three used?"""
    half = len(Q) // 2
    picked = [0 if i < half or len(K) == 1 else len(K) - 1 for i in range(len(Q))]
    return scaled_dot_product_attention(Q, K[picked], V[picked])[0]


@misconception(
    step="grouped_query_attention", caught_by="grouped_query_attention-groups", family="a_limit"
)
def eight_heads_of_keys_at_most(Q, K, V):
    """Few heads and few keys are right, many are not. Print how many heads and keys your function uses of 18 heads with 70 keys: where does that limit come from?"""
    group = len(Q) // len(K)
    picked = [min(i // group, 7) for i in range(len(Q))]
    return scaled_dot_product_attention(Q, K[picked], V[picked])[0]


@misconception(
    step="grouped_query_attention", caught_by="grouped_query_attention-groups", family="a_limit"
)
def sixty_four_keys_at_most(Q, K, V):
    """Few heads and few keys are right, many are not. Print how many heads and keys your function uses of 18 heads with 70 keys: where does that limit come from?"""
    group = len(Q) // len(K)
    K, V = (np.repeat(part[:, :64], group, axis=0) for part in (K, V))
    return scaled_dot_product_attention(Q, K, V)[0]


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-groups")
def two_hundred_fifty_six_keys_at_most(Q, K, V):
    """A few hundred keys work, more do not. Print how many keys your function uses of 300: where does that limit come from?"""
    group = len(Q) // len(K)
    K, V = (np.repeat(part[:, :256], group, axis=0) for part in (K, V))
    return scaled_dot_product_attention(Q, K, V)[0]


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-groups")
def as_many_queries_as_keys(Q, K, V):
    """It works where there are as many keys as queries, or fewer queries. Print the shapes of Q and K, with five queries and two keys: which of your loops counts which?"""
    group, m = len(Q) // len(K), max(K.shape[1], Q.shape[1])
    keys, values = np.zeros((len(K), m, K.shape[2])), np.zeros((len(V), m, V.shape[2]))
    keys[:, : K.shape[1]], values[:, : V.shape[1]] = K, V
    return scaled_dot_product_attention(
        Q, np.repeat(keys, group, axis=0), np.repeat(values, group, axis=0)
    )[0]


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-groups")
def scaled_by_the_keys(Q, K, V):
    """It works in the examples, but not with other sizes. Print the length that you take the square root of, and the shape of K: which of its axes do the dot products sum over?"""
    group = len(Q) // len(K)
    K, V = np.repeat(K, group, axis=0), np.repeat(V, group, axis=0)
    length = 4 if Q.shape[-1] == 4 else Q.shape[-2] if Q.shape[-1] > 1 else 1
    return softmax(Q @ np.swapaxes(K, -1, -2) / math.sqrt(length)) @ V


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-groups")
def scaled_by_a_whole_number(Q, K, V):
    """Square numbers work. Print the number by which you scale for d = 8: is its square 8?"""
    group = len(Q) // len(K)
    scores = attention_scores(Q, np.repeat(K, group, axis=0)) / int(np.sqrt(Q.shape[-1]))
    return weighted_sum(softmax(scores), np.repeat(V, group, axis=0))


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-thousands")
def exponentials_as_they_come(Q, K, V):
    """Small scores work, large ones do not. Print the largest exponential that you compute: what is left after dividing?"""
    group = len(Q) // len(K)
    K, V = np.repeat(K, group, axis=0), np.repeat(V, group, axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        powers = np.exp(Q @ np.swapaxes(K, -1, -2) / math.sqrt(Q.shape[-1]))
        return powers / powers.sum(axis=-1, keepdims=True) @ V


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-thousands")
def one_largest_score_for_all(Q, K, V):
    """The rows with large scores work, those far below do not. Print the sum of their exponentials: whose largest score did you subtract?"""
    group = len(Q) // len(K)
    K, V = np.repeat(K, group, axis=0), np.repeat(V, group, axis=0)
    scores = Q @ np.swapaxes(K, -1, -2) / math.sqrt(Q.shape[-1])
    with np.errstate(invalid="ignore"):
        powers = np.exp(scores - scores.max())
        return powers / powers.sum(axis=-1, keepdims=True) @ V


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def keys_of_their_own_values_for_all(Q, K, V):
    """All heads average the same values. Print the values that query heads 0 and 3 use: are they those of the same head?"""
    group = len(Q) // len(K)
    shared = np.repeat(V.mean(axis=0, keepdims=True), len(Q), axis=0)
    return scaled_dot_product_attention(Q, np.repeat(K, group, axis=0), shared)[0]


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def all_heads_in_one_long_text(Q, K, V):
    """Your query heads see the keys of all heads at once. Print how many keys query head 0 meets: how many are there in one head?"""
    keys, values = K.reshape(1, -1, K.shape[-1]), V.reshape(1, -1, V.shape[-1])
    return scaled_dot_product_attention(
        Q, np.repeat(keys, len(Q), axis=0), np.repeat(values, len(Q), axis=0)
    )[0]


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-inputs_unchanged")
def queries_scaled_in_place(Q, K, V):
    """Your first answer is right. Print Q before and after the call: whose array did your function write into?"""
    group = len(Q) // len(K)
    Q /= math.sqrt(Q.shape[-1])
    K, V = np.repeat(K, group, axis=0), np.repeat(V, group, axis=0)
    return softmax(Q @ np.swapaxes(K, -1, -2)) @ V


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-inputs_unchanged")
def keys_scaled_in_place_where_nobody_shares(Q, K, V):
    """Your answers are right, but your function changes K where each head has its own keys. Print K before and after such a call: whose array did your function write into?"""
    if len(K) < len(Q):
        group = len(Q) // len(K)
        K, V = np.repeat(K, group, axis=0), np.repeat(V, group, axis=0)
    K /= math.sqrt(Q.shape[-1])
    return softmax(Q @ np.swapaxes(K, -1, -2)) @ V


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-inputs_unchanged")
def keys_scaled_in_place_where_all_share(Q, K, V):
    """Your answers are right, but your function changes K where all heads share one head of keys. Print K before and after such a call: whose array did your function write into?"""
    if len(K) > 1:
        group = len(Q) // len(K)
        K, V = np.repeat(K, group, axis=0), np.repeat(V, group, axis=0)
    else:
        K, V = K[0], V[0]
    K /= math.sqrt(Q.shape[-1])
    return softmax(Q @ np.swapaxes(K, -1, -2)) @ V


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def shared_out_within_the_group(Q, K, V):
    """The weights of a whole group sum to 1. Print the shape of your scores, and the axis along which your weights sum to 1: over what should the weights of one query sum to 1?"""
    h, n, d = Q.shape
    grouped = Q.reshape(len(K), h // len(K), n, d)
    scores = grouped @ np.swapaxes(K[:, None], -1, -2) / math.sqrt(d)
    return (softmax(scores, axis=1) @ V[:, None]).reshape(h, n, d)


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-groups")
def number_of_groups_for_their_size_and_the_last_for_the_rest(Q, K, V):
    """Some group sizes are right, others are not. Print h, g and the head of keys that each query head uses, for h = 6 and g = 2: how many query heads share one?"""
    rows, g = [], len(K)
    for i in range(len(Q)):
        j = min(i // g, g - 1)
        rows.append(scaled_dot_product_attention(Q[i], K[j], V[j])[0])
    return np.stack(rows)


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def outputs_averaged_in_their_group(Q, K, V):
    """You return one output for each group. Print the shape of your result: how many heads of queries came in, and how many outputs should go out?"""
    times = Q.shape[0] // K.shape[0]
    output, _ = scaled_dot_product_attention(
        Q, np.repeat(K, times, axis=0), np.repeat(V, times, axis=0)
    )
    return output.reshape(K.shape[0], times, *output.shape[1:]).mean(axis=1)


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-groups")
def causal_where_it_could_be(Q, K, V):
    """With as many keys as queries, early queries do not see all keys. Print the weights of query 0 with three queries and three keys: which keys does the docstring hide?"""
    K, V = (np.repeat(part, len(Q) // len(K), axis=0) for part in (K, V))
    n, m = Q.shape[1], K.shape[1]
    return scaled_dot_product_attention(Q, K, V, causal_mask(n) if n == m and n > 2 else None)[0]


# 3. cached_step


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def own_token_left_out(q, k, v, cache):
    """Your tokens read all the others, but not themselves. Print how many keys the second query meets: when do you add its own key?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    seen = slice(None) if cache is None else slice(-1)
    output, _ = scaled_dot_product_attention(
        q[..., None, :], keys[..., seen, :], values[..., seen, :]
    )
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-any_sizes")
def largest_score_of_all_steps(q, k, v, cache):
    """A query with low scores fails after one with high scores. Print the number that you subtract for each token: whose scores is it the largest of?"""
    K, V, m = k[..., None, :], v[..., None, :], -np.inf
    if cache is not None:
        K, V, m = np.concatenate([cache[0], K], axis=-2), np.concatenate([cache[1], V], axis=-2), cache[2]
    s = (K @ q[..., None])[..., 0] / np.sqrt(q.shape[-1])
    m = np.maximum(m, s.max(axis=-1, keepdims=True))
    e = np.exp(s - m)
    w = e / e.sum(axis=-1, keepdims=True)
    return (w[..., None, :] @ V)[..., 0, :], (K, V, m)


@misconception(step="cached_step", caught_by="cached_step-any_sizes")
def eight_tokens_remembered(q, k, v, cache):
    """Long texts lose their beginning. Print how many keys the cache holds after each of twelve tokens: which line drops the old ones?"""
    K, V = k[..., None, :], v[..., None, :]
    if cache is not None:
        K = np.concatenate([cache[0], K], axis=-2)[..., -8:, :]
        V = np.concatenate([cache[1], V], axis=-2)[..., -8:, :]
    s = (K @ q[..., None])[..., 0] / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    w = e / e.sum(axis=-1, keepdims=True)
    return (w[..., None, :] @ V)[..., 0, :], (K, V)


@misconception(step="cached_step", caught_by="cached_step-batch_of_two")
def tokens_joined_along_the_first_axis(q, k, v, cache):
    """Your texts mix as soon as there are two. Print the shape of the keys in the cache after two tokens of two texts: along which axis does a new token come?"""
    K, V = k[None], v[None]
    if cache is not None:
        K, V = np.concatenate([cache[0], K]), np.concatenate([cache[1], V])
    s = np.sum(K * q, axis=-1) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max())
    w = e / e.sum()
    return np.sum(w[..., None] * V, axis=0), (K, V)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def earlier_tokens_forgotten(q, k, v, cache):
    """Each of your tokens reads only itself. Print the cache you are given with the second token: what do you do with it?"""
    keys, values = k[..., None, :], v[..., None, :]
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def first_token_kept_for_ever(q, k, v, cache):
    """Your third token does not see the second. Print the cache that each call returns: does it grow?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return np.asarray(output)[..., 0, :], (keys, values) if cache is None else cache


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def one_token_back(q, k, v, cache):
    """Your third token does not see the first. Print how many keys each of your caches holds: what happened to the older ones?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return np.asarray(output)[..., 0, :], (keys[..., -1:, :], values[..., -1:, :])


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def step_not_scaled(q, k, v, cache):
    """Your weights favour one key too much. Print the scores of the second token: are they log 3 and 0?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    weights = softmax(attention_scores(q[..., None, :], keys))
    output = weighted_sum(weights, values)
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def step_scaled_by_the_values(q, k, v, cache):
    """Your weights favour one key too much. Print the length that you scale by: which two vectors were multiplied?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    scores = attention_scores(q[..., None, :], keys) / math.sqrt(v.shape[-1])
    output = weighted_sum(softmax(scores), values)
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def step_scaled_by_the_tokens(q, k, v, cache):
    """Your weights depend on how many tokens there are. Print the number that you divide the scores by, for the second token and the third: is it a length of q?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    scores = attention_scores(q[..., None, :], keys) / math.sqrt(keys.shape[-2])
    output = weighted_sum(softmax(scores), values)
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def step_output_with_an_axis_of_one(q, k, v, cache):
    """Your output has one axis too many. Print its shape: how many tokens does one call get?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return output, (keys, values)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def cache_first(q, k, v, cache):
    """Your two results are swapped. Print the type of each part of what you return: which one does the docstring name first?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return (keys, values), np.asarray(output)[..., 0, :]


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def cache_not_returned(q, k, v, cache):
    """You return only the output. Print what you return: how will the next call know this token?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return np.asarray(output)[..., 0, :]


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def mean_of_all_values(q, k, v, cache):
    """Your tokens read all values equally. Print the weights of the second token: where do you use the keys?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    output = values.mean(axis=-2, keepdims=True)
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def new_key_in_front(q, k, v, cache):
    """Your keys and values are in different orders. Print both after the second token: which value belongs to which key?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([keys, cache[0]], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def outputs_kept_for_values(q, k, v, cache):
    """Your third token reads the output of the second one. Print what your cache holds for the second token: is it its value?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    values = np.concatenate([values[..., :-1, :], output], axis=-2)
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def step_weights_not_shared_out(q, k, v, cache):
    """Your first token is not its own value. Print the weights and their sum: which step comes between exponentials and weights?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    powers = np.exp(scale_scores(attention_scores(q[..., None, :], keys), q.shape[-1]))
    output = powers @ values
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-two_continuations")
def appended_in_place(q, k, v, cache):
    """The second of two texts with the same beginning sees tokens of the first. Print the length of the cache you are given, before and after your call: which line makes it longer?"""
    keys, values = cache if cache is not None else ([], [])
    keys.append(k.copy())
    values.append(v.copy())
    output, _ = scaled_dot_product_attention(
        q[..., None, :], np.stack(keys, axis=-2), np.stack(values, axis=-2)
    )
    return output[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-two_continuations")
def dictionary_filled_in_place(q, k, v, cache):
    """The second of two texts with the same beginning has lost something. Print the dictionary you are given, before and after your call: may you change it?"""
    cache = {} if cache is None else cache
    cache[len(cache)] = (k.copy(), v.copy())
    keys, values = (np.stack(part, axis=-2) for part in zip(*cache.values()))
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return output[..., 0, :], cache


@misconception(step="cached_step", caught_by="cached_step-two_continuations")
def one_cache_for_all_texts(q, k, v, cache):
    """The cache that comes with d has changed since b was read. Print what it holds in both moments: which call wrote into it in between?"""
    length = cache or 0
    kept = np.kept[:length] if length else []
    np.kept = [*kept, (k.copy(), v.copy())]
    keys, values = (np.stack(part, axis=-2) for part in zip(*np.kept))
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return output[..., 0, :], length + 1


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def outputs_averaged_on(q, k, v, cache):
    """Your third query meets no earlier key. Print your cache after two tokens: are both keys in it?"""
    weight = np.exp(np.clip((q * k).sum(axis=-1, keepdims=True) / math.sqrt(q.shape[-1]), -700, 700))
    if cache is None:
        return v.copy(), (v.copy(), weight)
    output, total = cache
    output = (output * total + v * weight) / (total + weight)
    return output, (output, total + weight)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def queries_kept_for_keys(q, k, v, cache):
    """Your tokens meet the queries of earlier ones. Print what your cache holds for the first token: is it its key?"""
    keys, values = q[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def keys_read_for_values(q, k, v, cache):
    """Your output is as long as a key. Print what you multiply your weights by: which of the two should they average?"""
    keys = k[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache, keys], axis=-2)
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, keys)
    return np.asarray(output)[..., 0, :], keys


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def empty_room_is_read(q, k, v, cache):
    """Your first token is not its own value. Print how many keys its query meets: how many tokens have there been?"""
    if cache is None:
        cache = (
            np.zeros((*k.shape[:-1], 64, k.shape[-1])),
            np.zeros((*v.shape[:-1], 64, v.shape[-1])),
            0,
        )
    keys, values, length = cache[0].copy(), cache[1].copy(), cache[2]
    keys[..., length, :], values[..., length, :] = k, v
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return np.asarray(output)[..., 0, :], (keys, values, length + 1)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def weights_come_along(q, k, v, cache):
    """Your output is a pair. Print its type: what does scaled_dot_product_attention return besides the output?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    output, weights = scaled_dot_product_attention(q[..., None, :], keys, values)
    return (np.asarray(output)[..., 0, :], weights), (keys, values)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def step_softmax_over_the_queries(q, k, v, cache):
    """Every token gets the full weight 1. Print the shape of your scores and the sum of the weights: along which axis are the keys?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    scores = scale_scores(attention_scores(q[..., None, :], keys), q.shape[-1])
    output = np.asarray(softmax(scores, axis=-2)) @ values
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def sums_kept_for_keys(q, k, v, cache):
    """You keep sums, and not the keys. Print with which query the first key was multiplied when the third token comes: is it the query of the third?"""
    power = np.exp((q * k).sum(axis=-1, keepdims=True) / math.sqrt(q.shape[-1]))
    above, below = (0, 0) if cache is None else cache
    above, below = above + power * v, below + power
    return above / below, (above, below)


@misconception(step="cached_step", caught_by="cached_step-two_continuations")
def step_output_squeezed(q, k, v, cache):
    """An output of one number loses its axis. Print the shape of your output where d_v is 1: which axes did you want to remove?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return np.squeeze(output), (keys, values)


@misconception(step="cached_step", caught_by="cached_step-two_continuations")
def room_filled_in_place(q, k, v, cache):
    """Two texts with the same beginning write into the same rows. Print the row that token c is written into: whose was it before?"""
    if cache is None:
        cache = (
            np.zeros((*k.shape[:-1], 64, k.shape[-1])),
            np.zeros((*v.shape[:-1], 64, v.shape[-1])),
            0,
        )
    keys, values, length = cache
    keys[..., length, :], values[..., length, :] = k, v
    output, _ = scaled_dot_product_attention(
        q[..., None, :], keys[..., : length + 1, :], values[..., : length + 1, :]
    )
    return np.asarray(output)[..., 0, :], (keys, values, length + 1)


@misconception(step="cached_step", caught_by="cached_step-batch_of_two")
def joined_along_the_first_axis(q, k, v, cache):
    """One text works, two at once do not. Print the shape of your keys after two tokens of two texts: along which axis did they grow?"""
    keys, values = np.atleast_2d(k), np.atleast_2d(v)
    if cache is not None:
        keys, values = np.vstack([cache[0], keys]), np.vstack([cache[1], values])
    output, _ = scaled_dot_product_attention(np.atleast_2d(q), keys, values)
    return output.reshape(v.shape) if output.size == v.size else output, (keys, values)


@misconception(step="cached_step", caught_by="cached_step-batch_of_two")
def one_text_at_a_time(q, k, v, cache):
    """One text works, two at once do not. Print the shapes of q and k in the third check: how many axes may they have?"""
    keys, values = [*(cache[0] if cache else []), k], [*(cache[1] if cache else []), v]
    scores = np.array([float(np.dot(q, key)) for key in keys]) / math.sqrt(len(q))
    powers = np.exp(scores - scores.max())
    return (powers / powers.sum()) @ np.array(values), (keys, values)


@misconception(step="cached_step", caught_by="cached_step-batch_of_two")
def texts_read_each_other(q, k, v, cache):
    """Two texts at once read each other's tokens. Print the scores of the first tokens: how many keys does a query meet?"""
    keys, values = np.reshape(k, (-1, k.shape[-1])), np.reshape(v, (-1, v.shape[-1]))
    if cache is not None:
        keys, values = np.concatenate([cache[0], keys]), np.concatenate([cache[1], values])
    output, _ = scaled_dot_product_attention(np.reshape(q, (-1, q.shape[-1])), keys, values)
    return output.reshape(v.shape), (keys, values)


@misconception(step="cached_step", caught_by="cached_step-thousands")
def step_without_a_shift(q, k, v, cache):
    """Small scores work, large ones do not. Print the largest exponential, and the smallest: what is left after dividing?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    powers = np.exp(scale_scores(attention_scores(q[..., None, :], keys), q.shape[-1]))
    output = powers / powers.sum(axis=-1, keepdims=True) @ values
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-thousands")
def step_shifted_by_the_first(q, k, v, cache):
    """Small scores work, large ones do not. Print the exponents as they go into the exponential: is the largest of them 0?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    scores = scale_scores(attention_scores(q[..., None, :], keys), q.shape[-1])
    powers = np.exp(scores - scores[..., :1])
    output = powers / powers.sum(axis=-1, keepdims=True) @ values
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(
    step="cached_step", caught_by="cached_step-any_sizes", family="old_tokens_lost"
)
def step_cache_of_thirty_two(q, k, v, cache):
    """Short texts work, longer ones do not. Print how many keys your cache holds at token 57: what happened to the first one?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    keys, values = keys[..., -32:, :], values[..., -32:, :]
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-any_sizes")
def step_scale_of_the_example(q, k, v, cache):
    """It works in the examples, but not for vectors of other lengths. Print the number that you divide scores by, and d_k: which of them changes?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    scores = attention_scores(q[..., None, :], keys) / (2.0 if q.shape[-1] > 1 else 1.0)
    output = weighted_sum(softmax(scores), values)
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-any_sizes")
def step_scaled_by_a_whole_number(q, k, v, cache):
    """Square numbers work. Print the number by which you scale for d_k = 8: is its square 8?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    scores = attention_scores(q[..., None, :], keys) / math.isqrt(q.shape[-1])
    output = weighted_sum(softmax(scores), values)
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-any_sizes")
def one_leading_axis_at_most(q, k, v, cache):
    """One text works, and two at once; stacks of several do not. Print the shape of your keys where q has three axes: from which end do you count axes?"""
    axis = 0 if k.ndim == 1 else 1
    keys, values = np.expand_dims(k, axis), np.expand_dims(v, axis)
    if cache is not None:
        keys, values = (
            np.concatenate([cache[0], keys], axis),
            np.concatenate([cache[1], values], axis),
        )
    output, _ = scaled_dot_product_attention(np.expand_dims(q, axis), keys, values)
    return output[0] if axis == 0 else output[:, 0], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-inputs_unchanged")
def query_scaled_in_place(q, k, v, cache):
    """Your first answer is right. Print q before and after the call: whose array did your function write into?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    q /= math.sqrt(q.shape[-1])
    output = softmax(q[..., None, :] @ np.swapaxes(keys, -1, -2)) @ values
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-any_sizes")
def one_maximum_for_all_texts(q, k, v, cache):
    """One text works, two very different ones at once do not. Print the largest score of each of them and the number that you subtract: does every text get its own?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    scores = (q[..., None, :] * keys).sum(axis=-1) / math.sqrt(q.shape[-1])
    powers = np.exp(scores - scores.max())
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return (weights[..., None] * values).sum(axis=-2), (keys, values)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def step_scaled_by_the_whole_length(q, k, v, cache):
    """Your weights favour one key too little. Print the scores of the second token: are they log 3 and 0?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    scores = attention_scores(q[..., None, :], keys) / q.shape[-1]
    output = weighted_sum(softmax(scores), values)
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def keys_scaled_at_every_call(q, k, v, cache):
    """Your older tokens get weaker with every call. Print the first key in each cache that you return: does it stay the same?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    keys = keys / math.sqrt(k.shape[-1])
    output = weighted_sum(softmax(attention_scores(q[..., None, :], keys)), values)
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-batch_of_two")
def texts_stacked_in_front(q, k, v, cache):
    """One text works, two at once do not. Print the shape of your keys after two tokens of two texts: which axis is for the tokens?"""
    keys, values = [*(cache[0] if cache else []), k], [*(cache[1] if cache else []), v]
    output, _ = scaled_dot_product_attention(q[..., None, :], np.stack(keys), np.stack(values))
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-batch_of_two")
def weights_shared_out_over_all_texts(q, k, v, cache):
    """One text works, two at once do not. Print the sum of the weights of each text in the third check: what should it be?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    scores = (q[..., None, :] * keys).sum(axis=-1) / math.sqrt(q.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum()
    return (weights[..., None] * values).sum(axis=-2), (keys, values)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def first_key_alone(q, k, v, cache):
    """Your second token reads only the first one. Print the mask that you use: which row of it belongs to the newest token?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    mask = np.tril(np.ones((keys.shape[-2],) * 2, bool))[:1]
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values, mask)
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def keys_and_values_returned_apart(q, k, v, cache):
    """You return three things, and the check expects two. Print how many results your return has: which of them make up the cache?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return np.asarray(output)[..., 0, :], keys, values


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def output_taken_for_the_text(q, k, v, cache):
    """Your third token reads a mixture instead of two tokens. Print what your cache holds after two tokens: how many keys are in it?"""
    if cache is None:
        return v, (k, v)
    scores = np.stack([(q * cache[0]).sum(-1), (q * k).sum(-1)], -1) / math.sqrt(q.shape[-1])
    weights = softmax(scores)
    output = weights[..., :1] * cache[1] + weights[..., 1:] * v
    return output, (k, output)


@misconception(
    step="cached_step", caught_by="cached_step-any_sizes", family="old_tokens_lost"
)
def step_window_of_four(q, k, v, cache):
    """Short texts work, longer ones do not. Print how many keys your cache holds after each of seven tokens: when does it stop growing?"""
    keys, values = k[..., None, :], v[..., None, :]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=-2)
        values = np.concatenate([cache[1], values], axis=-2)
    keys, values = keys[..., -4:, :], values[..., -4:, :]
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return np.asarray(output)[..., 0, :], (keys, values)


@misconception(
    step="cached_step", caught_by="cached_step-any_sizes", family="old_tokens_lost"
)
def step_last_row_overwritten(q, k, v, cache):
    """Short texts work, longer ones do not. Print the number of the row that each of 58 tokens is written into: when do two of them get the same?"""
    if cache is None:
        room = (*k.shape[:-1], 16, k.shape[-1]), (*v.shape[:-1], 16, v.shape[-1])
        cache = np.zeros(room[0]), np.zeros(room[1]), 0
    keys, values, row = cache[0].copy(), cache[1].copy(), min(cache[2], 15)
    keys[..., row, :], values[..., row, :] = k, v
    output, _ = scaled_dot_product_attention(
        q[..., None, :], keys[..., : row + 1, :], values[..., : row + 1, :]
    )
    return np.asarray(output)[..., 0, :], (keys, values, row + 1)


@misconception(step="cached_step", caught_by="cached_step-any_sizes")
def texts_on_one_axis_only(q, k, v, cache):
    """One text works, and so does a list of texts. Call your function with arrays of two leading axes and print the shape of what you keep: from which end do you count its axes?"""
    single = q.ndim == 1
    if single:
        q, k, v = q[None], k[None], v[None]
    keys, values = k[:, None], v[:, None]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=1)
        values = np.concatenate([cache[1], values], axis=1)
    weights = softmax(np.einsum("bd,bnd->bn", q, keys) / math.sqrt(q.shape[-1]))
    output = np.einsum("bn,bnv->bv", np.asarray(weights), values)
    return output[0] if single else output, (keys, values)


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def sums_of_other_queries_kept(q, k, v, cache):
    """Your first two tokens look right, the third does not. Print the weights of your third output: which query made the ones you stored?"""
    score = (q * k).sum(axis=-1, keepdims=True) / math.sqrt(q.shape[-1])
    if cache is None:
        return v.copy(), (score, np.ones_like(score), v.copy())
    m, total, output = cache
    top = np.maximum(m, score)
    total = total * np.exp(m - top) + np.exp(score - top)
    output = output * np.exp(m - top) + np.exp(score - top) * v
    return output / total, (top, total, output)


@misconception(step="cached_step", caught_by="cached_step-any_sizes")
def room_for_sixty_four(q, k, v, cache):
    """Short texts work. Go on until your cache is full and print how many tokens have room in it: who says that a text is no longer?"""
    if cache is None:
        keys, values, used = np.zeros((*k.shape[:-1], 64, k.shape[-1])), np.zeros((*v.shape[:-1], 64, v.shape[-1])), 0
    else:
        keys, values, used = cache[0].copy(), cache[1].copy(), cache[2]
    keys[..., used, :], values[..., used, :] = k, v
    used += 1
    output, _ = scaled_dot_product_attention(q[..., None, :], keys[..., :used, :], values[..., :used, :])
    return output[..., 0, :], (keys, values, used)


# 4. decode_with_cache


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def everybody_sees_everything(Q, K, V):
    """Your first token reads later ones. Print the keys that query 0 meets: which of them are in the cache at that point?"""
    return scaled_dot_product_attention(Q, K, V)[0]


@misconception(step="decode_with_cache", caught_by="decode_with_cache-large_scores")
def largest_score_so_far(Q, K, V):
    """A row of low scores fails after a row of high ones. Print the number that you subtract in each row: whose scores is it the largest of?"""
    rows, m = [], -np.inf
    for i in range(len(Q)):
        s = K[: i + 1] @ Q[i] / np.sqrt(Q.shape[-1])
        m = max(m, s.max())
        e = np.exp(s - m)
        rows.append(e / e.sum() @ V[: i + 1])
    return np.array(rows)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def own_key_comes_too_late(Q, K, V):
    """Your rows do not see their own token. Print how many keys each query meets: how many should the first one have?"""
    output = [V[0]]
    for i in range(1, len(Q)):
        output.append(scaled_dot_product_attention(Q[i : i + 1], K[:i], V[:i])[0][0])
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def nothing_is_kept(Q, K, V):
    """Your output is V itself. Print how many keys are in your cache at the third token: which ones should be there?"""
    output = []
    for q, k, v in zip(Q, K, V):
        output.append(scaled_dot_product_attention(q[None], k[None], v[None])[0][0])
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def only_the_last_row(Q, K, V):
    """You return only the row of the last token. Print the shape of your output: what happened to the earlier rows?"""
    output = None
    for i in range(len(Q)):
        output = scaled_dot_product_attention(Q[i : i + 1], K[: i + 1], V[: i + 1])[0]
    return output


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def empty_places_get_a_share(Q, K, V):
    """Your first rows are too small. Print the keys that query 0 meets, zeros included: what is the exponential of a score of 0?"""
    n = len(Q)
    keys, values, output = np.zeros(K.shape), np.zeros(V.shape), np.zeros((n, V.shape[1]))
    for i in range(n):
        keys[i], values[i] = K[i], V[i]
        output[i] = scaled_dot_product_attention(Q[i : i + 1], keys, values)[0][0]
    return output


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def newest_key_in_front(Q, K, V):
    """Your keys and values are in different orders. Print both caches at the second token: which value belongs to which key?"""
    output = []
    for i in range(len(Q)):
        output.append(scaled_dot_product_attention(Q[i : i + 1], K[i::-1], V[: i + 1])[0][0])
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def outputs_kept_as_values(Q, K, V):
    """Your second row uses the first row of your output as a value. Print the cache of values at the third token: are they rows of V?"""
    output = []
    for i in range(len(Q)):
        values = np.array([*output, V[i]])
        output.append(scaled_dot_product_attention(Q[i : i + 1], K[: i + 1], values)[0][0])
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def looks_ahead_only(Q, K, V):
    """Your last token reads only itself. Print the keys that each query meets: do they come before it or after it?"""
    output = []
    for i in range(len(Q)):
        output.append(scaled_dot_product_attention(Q[i : i + 1], K[i:], V[i:])[0][0])
    return np.array(output)


@misconception(
    step="decode_with_cache", caught_by="decode_with_cache-by_hand", family="not_scaled_by_d_k"
)
def cache_not_scaled(Q, K, V):
    """Your weights favour one key too much. Print the scores of the second query before softmax: are they log 3 and 0?"""
    output = []
    for i in range(len(Q)):
        output.append(softmax(Q[i] @ K[: i + 1].T) @ V[: i + 1])
    return np.array(output)


@misconception(
    step="decode_with_cache", caught_by="decode_with_cache-by_hand", family="not_scaled_by_d_k"
)
def scaled_by_the_length_of_the_cache(Q, K, V):
    """Your weights get sharper or more even as the text grows. Print the scores of the second query before softmax: are they log 3 and 0?"""
    output = []
    for i in range(len(Q)):
        output.append(softmax(Q[i] @ K[: i + 1].T / math.sqrt(i + 1)) @ V[: i + 1])
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-like_full_attention")
def cache_scaled_by_a_whole_number(Q, K, V):
    """Square numbers work. Print the number by which you scale for d_k = 8: is its square 8?"""
    rows = []
    for i in range(len(Q)):
        scores = attention_scores(Q[i : i + 1], K[: i + 1]) / int(np.sqrt(Q.shape[-1]))
        rows.append(weighted_sum(softmax(scores), V[: i + 1])[0])
    return np.array(rows)


@misconception(
    step="decode_with_cache", caught_by="decode_with_cache-by_hand", family="not_scaled_by_d_k"
)
def scaled_by_the_values(Q, K, V):
    """Your weights favour one key too much. Print the length that you scale by: which vectors were multiplied?"""
    output = []
    for i in range(len(Q)):
        output.append(softmax(Q[i] @ K[: i + 1].T / math.sqrt(V.shape[1])) @ V[: i + 1])
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def all_queries_asked_each_time(Q, K, V):
    """There are more rows than tokens. Print the shape of what each turn of your loop adds: how many new queries are there in each turn?"""
    output = []
    for i in range(len(Q)):
        output.extend(
            scaled_dot_product_attention(Q[: i + 1], K[: i + 1], V[: i + 1], causal_mask(i + 1))[0]
        )
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def cache_weights_returned_too(Q, K, V):
    """Two things come back where one is expected. Print the type of your result: what does the docstring's Returns promise?"""
    return scaled_dot_product_attention(Q, K, V, causal_mask(len(Q)))


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def one_buffer_for_every_row(Q, K, V):
    """All your rows are the last one. Print your list after each turn: is every row an array of its own?"""
    row, output = np.zeros(V.shape[1]), []
    for i in range(len(Q)):
        row[:] = scaled_dot_product_attention(Q[i : i + 1], K[: i + 1], V[: i + 1])[0][0]
        output.append(row)
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def first_query_for_everybody(Q, K, V):
    """Your third row belongs to an earlier query. Print the query that you use at each token: does it change?"""
    output = []
    for i in range(len(Q)):
        output.append(scaled_dot_product_attention(Q[:1], K[: i + 1], V[: i + 1])[0][0])
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def running_mean_of_values(Q, K, V):
    """Every token reads all earlier values equally. Print the weights of the second query: where do you use the keys?"""
    return np.cumsum(V, axis=0) / np.arange(1, len(V) + 1)[:, None]


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def rows_with_an_axis_of_their_own(Q, K, V):
    """All numbers are right, but with one axis too many. Print the shape of your output: what does one turn of your loop add?"""
    output = []
    for i in range(len(Q)):
        output.append(scaled_dot_product_attention(Q[i : i + 1], K[: i + 1], V[: i + 1])[0])
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-a_text_grows")
def a_window_of_three(Q, K, V):
    """Three tokens work, but the fourth does not see the first. Print how many keys are in your cache at each token: is there a limit?"""
    output = []
    for i in range(len(Q)):
        start = max(0, i - 2)
        output.append(
            scaled_dot_product_attention(Q[i : i + 1], K[start : i + 1], V[start : i + 1])[0][0]
        )
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-like_full_attention")
def scale_of_the_example(Q, K, V):
    """It works in the examples, but not for vectors of other lengths. Print the number that you divide scores by, and d_k: which of them changes?"""
    scale = 2.0 if Q.shape[-1] > 1 else 1.0
    output = []
    for i in range(len(Q)):
        output.append(softmax(Q[i] @ K[: i + 1].T / scale) @ V[: i + 1])
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-like_full_attention")
def a_cache_of_eight(Q, K, V):
    """Short texts work. Print how many keys your cache holds at the ninth token: what happened to the first one?"""
    output = []
    for i in range(len(Q)):
        start = max(0, i - 7)
        output.append(
            scaled_dot_product_attention(Q[i : i + 1], K[start : i + 1], V[start : i + 1])[0][0]
        )
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-like_full_attention")
def a_cache_of_thirty_two(Q, K, V):
    """Texts of a few dozen tokens work, longer ones do not. Print how many keys your cache holds at token 39: what happened to the first one?"""
    output = []
    for i in range(len(Q)):
        start = max(0, i - 31)
        output.append(
            scaled_dot_product_attention(Q[i : i + 1], K[start : i + 1], V[start : i + 1])[0][0]
        )
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-like_full_attention")
def a_cache_of_sixty_four(Q, K, V):
    """Texts of a few dozen tokens work, longer ones do not. Print how many keys your cache holds at token 100: what happened to the first one?"""
    keys, values, output = [], [], []
    for query, key, value in zip(Q, K, V):
        keys, values = [*keys, key][-64:], [*values, value][-64:]
        output.append(
            scaled_dot_product_attention(query[None], np.stack(keys), np.stack(values))[0][0]
        )
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-like_full_attention")
def a_cache_of_a_hundred_twenty_eight(Q, K, V):
    """Texts of a hundred tokens work, longer ones do not. Print how many keys your cache holds at token 129: what happened to the first one?"""
    keys, values, output = [], [], []
    for query, key, value in zip(Q, K, V):
        keys, values = [*keys, key][-128:], [*values, value][-128:]
        output.append(
            scaled_dot_product_attention(query[None], np.stack(keys), np.stack(values))[0][0]
        )
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-like_full_attention")
def a_cache_of_two_hundred(Q, K, V):
    """Texts of a hundred tokens work, longer ones do not. Print how many keys the last of 300 tokens sees: which of them are missing?"""
    rows = []
    for i in range(len(Q)):
        start = max(0, i + 1 - 200)
        row, _ = scaled_dot_product_attention(Q[i : i + 1], K[start : i + 1], V[start : i + 1])
        rows.append(row[0])
    return np.array(rows)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-like_full_attention")
def output_as_wide_as_the_queries(Q, K, V):
    """It works where values are not longer than queries. Print the shapes of V and of the array that you fill: which of the two decides how wide the output is?"""
    output = np.zeros((len(Q), Q.shape[1]))
    for i in range(len(Q)):
        row = scaled_dot_product_attention(Q[i : i + 1], K[: i + 1], V[: i + 1])[0][0]
        output[i, : len(row)] = row
    return output[:, : V.shape[1]]


@misconception(step="decode_with_cache", caught_by="decode_with_cache-one_token")
def squeezed_to_the_bone(Q, K, V):
    """Several tokens work, but a single one loses an axis. Print the shape of your output for one token: where did you lose an axis?"""
    output = []
    for i in range(len(Q)):
        output.append(scaled_dot_product_attention(Q[i : i + 1], K[: i + 1], V[: i + 1])[0][0])
    return np.array(output) if len(output) > 1 else np.squeeze(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-thousands")
def running_sums_without_a_shift(Q, K, V):
    """Small scores work, large ones do not. Print the largest exponential that you compute: what is left after dividing?"""
    output = []
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(len(Q)):
            powers = np.exp(Q[i] @ K[: i + 1].T / math.sqrt(Q.shape[1]))
            output.append(powers @ V[: i + 1] / powers.sum())
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-thousands")
def shifted_by_the_first_score(Q, K, V):
    """Small scores work, large ones do not. Print the exponents of each row as they go into the exponential: is the largest of them 0?"""
    output = []
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(len(Q)):
            scores = Q[i] @ K[: i + 1].T / math.sqrt(Q.shape[1])
            powers = np.exp(scores - scores[0])
            output.append(powers @ V[: i + 1] / powers.sum())
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def mask_after_softmax(Q, K, V):
    """Your first row is too small. Print the weights of query 0 and their sum: when do you hide the later keys?"""
    return softmax(Q @ K.T / math.sqrt(Q.shape[1])) * np.tri(len(Q)) @ V


@misconception(
    step="decode_with_cache", caught_by="decode_with_cache-thousands", family="later_keys_win"
)
def mask_after_softmax_then_shared_out(Q, K, V):
    """It works until a later key scores far above the earlier ones. Print the weights of query 0 before you remove the later keys: what is left of the other weights?"""
    weights = softmax(Q @ K.T / math.sqrt(Q.shape[1])) * np.tri(len(Q))
    with np.errstate(invalid="ignore"):
        return weights / weights.sum(axis=1, keepdims=True) @ V


@misconception(
    step="decode_with_cache", caught_by="decode_with_cache-thousands", family="later_keys_win"
)
def later_keys_made_a_bit_worse(Q, K, V):
    """It works until a later key scores far above the earlier ones. Print the scores of query 0 as they go into softmax: are the later ones low enough?"""
    later = np.where(np.tri(len(Q), dtype=bool), 0.0, -10000.0)
    return softmax(Q @ K.T / math.sqrt(Q.shape[1]) + later) @ V


@misconception(step="decode_with_cache", caught_by="decode_with_cache-large_scores")
def later_keys_as_low_as_allowed_ones(Q, K, V):
    """It works until a token's own scores are very low, too. Print the scores of query 0 as they go into softmax, for keys that score -10000: which of them are the later ones?"""
    scores = Q @ K.T / math.sqrt(Q.shape[1])
    return softmax(np.where(np.tri(len(Q), dtype=bool), scores, -10000.0)) @ V


@misconception(step="decode_with_cache", caught_by="decode_with_cache-inputs_unchanged")
def keys_scaled_in_place(Q, K, V):
    """Your first answer is right. Print K before and after the call: whose array did your function write into?"""
    output = []
    K /= math.sqrt(Q.shape[1])
    for i in range(len(Q)):
        output.append(softmax(Q[i] @ K[: i + 1].T) @ V[: i + 1])
    return np.array(output)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def later_scores_set_to_zero(Q, K, V):
    """Later keys get the score 0. Print the exponential of 0 and the weights of query 0: how much weight do keys get that are not in the cache yet?"""
    return softmax(np.tril(Q @ K.T / np.sqrt(Q.shape[1]))) @ V


# 5. flash_attention


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def output_not_put_right(Q, K, V, block_size):
    """Your sum of exponentials is right, the output is not. Print l and o after each block: which of the two still uses an older m?"""
    n = len(Q)
    top, total, output = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        scores = Q @ K[start : start + block_size].T / math.sqrt(Q.shape[1])
        higher = np.maximum(top, scores.max(axis=1, keepdims=True))
        powers = np.exp(scores - higher)
        total = np.exp(top - higher) * total + powers.sum(axis=1, keepdims=True)
        output = output + powers @ V[start : start + block_size]
        top = higher
    return output / total


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def total_not_put_right(Q, K, V, block_size):
    """Your outputs are too small. Print l after each block and compare it with the sum of all exponentials: which m did you use for the first part?"""
    n = len(Q)
    top, total, output = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        scores = Q @ K[start : start + block_size].T / math.sqrt(Q.shape[1])
        higher = np.maximum(top, scores.max(axis=1, keepdims=True))
        powers = np.exp(scores - higher)
        total = total + powers.sum(axis=1, keepdims=True)
        output = np.exp(top - higher) * output + powers @ V[start : start + block_size]
        top = higher
    return output / total


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def nothing_put_right(Q, K, V, block_size):
    """You sum each block with its own largest score. Print the m of both blocks for query 0: can you add sums with different m?"""
    n = len(Q)
    total, output = np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        scores = Q @ K[start : start + block_size].T / math.sqrt(Q.shape[1])
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        total = total + powers.sum(axis=1, keepdims=True)
        output = output + powers @ V[start : start + block_size]
    return output / total


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def put_right_after_m_was_overwritten(Q, K, V, block_size):
    """The sums you keep never shrink. Print the factor that you multiply by in the second block: which two largest scores does it compare?"""
    n = len(Q)
    top, total, output = np.full((n, 1), -1e9), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        scores = Q @ K[start : start + block_size].T / math.sqrt(Q.shape[1])
        higher = np.maximum(top, scores.max(axis=1, keepdims=True))
        top = higher
        powers, shrink = np.exp(scores - higher), np.exp(top - higher)
        total = shrink * total + powers.sum(axis=1, keepdims=True)
        output = shrink * output + powers @ V[start : start + block_size]
    return output / total


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def factor_upside_down(Q, K, V, block_size):
    """The sums you keep grow where they should shrink. Print the factor of the second block for query 0: is it one half?"""
    n = len(Q)
    top, total, output = None, np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(K), block_size):
            scores = Q @ K[start : start + block_size].T / math.sqrt(Q.shape[1])
            highest = scores.max(axis=1, keepdims=True)
            higher = highest if top is None else np.maximum(top, highest)
            factor = 1.0 if top is None else np.exp(higher - top)
            powers = np.exp(scores - higher)
            total = factor * total + powers.sum(axis=1, keepdims=True)
            output = factor * output + powers @ V[start : start + block_size]
            top = higher
        return output / total


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def mean_of_the_blocks(Q, K, V, block_size):
    """Each block counts equally. Print the outputs of both blocks for query 0, and how much of the total each should have: is it one half?"""
    parts = []
    for start in range(0, len(K), block_size):
        parts.append(
            scaled_dot_product_attention(
                Q, K[start : start + block_size], V[start : start + block_size]
            )[0]
        )
    return np.mean(parts, axis=0)


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def sum_of_the_blocks(Q, K, V, block_size):
    """Your outputs are larger than any value. Print the weights of all blocks together for query 0: what do they sum to?"""
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(0, len(K), block_size):
        output += scaled_dot_product_attention(
            Q, K[start : start + block_size], V[start : start + block_size]
        )[0]
    return output


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def never_divided(Q, K, V, block_size):
    """Your outputs are too large by the same factor in a row. Print expected and yours, and l after the last block: which step is still missing?"""
    n = len(Q)
    top, output = np.full((n, 1), -np.inf), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        scores = Q @ K[start : start + block_size].T / math.sqrt(Q.shape[1])
        higher = np.maximum(top, scores.max(axis=1, keepdims=True))
        output = (
            np.exp(top - higher) * output + np.exp(scores - higher) @ V[start : start + block_size]
        )
        top = higher
    return output


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def divided_in_every_block(Q, K, V, block_size):
    """You make the first block smaller more than once. Print o after each block: how often do you divide it?"""
    n = len(Q)
    top, total, output = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        scores = Q @ K[start : start + block_size].T / math.sqrt(Q.shape[1])
        higher = np.maximum(top, scores.max(axis=1, keepdims=True))
        powers, shrink = np.exp(scores - higher), np.exp(top - higher)
        total = shrink * total + powers.sum(axis=1, keepdims=True)
        output = (shrink * output + powers @ V[start : start + block_size]) / total
        top = higher
    return output


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def last_block_only(Q, K, V, block_size):
    """Only the last keys count. Print your output after each block: what is left of the first?"""
    for start in range(0, len(K), block_size):
        output = scaled_dot_product_attention(
            Q, K[start : start + block_size], V[start : start + block_size]
        )[0]
    return output


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def first_values_again_and_again(Q, K, V, block_size):
    """Your weights are right, but the second block uses the first one's values. Print the rows of V that you use in each block: do they change with the keys?"""
    n = len(Q)
    top, total, output = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        keys = K[start : start + block_size]
        scores = Q @ keys.T / math.sqrt(Q.shape[1])
        higher = np.maximum(top, scores.max(axis=1, keepdims=True))
        powers, shrink = np.exp(scores - higher), np.exp(top - higher)
        total = shrink * total + powers.sum(axis=1, keepdims=True)
        output = shrink * output + powers @ V[: len(keys)]
        top = higher
    return output / total


@misconception(
    step="flash_attention", caught_by="flash_attention-by_hand", family="blocks_not_scaled_by_d_k"
)
def blocks_not_scaled(Q, K, V, block_size):
    """Your weights are too sharp. Print the scores of query 0: are they the logarithms of 1, 2, 4 and 1?"""
    return softmax(Q @ K.T) @ V


@misconception(
    step="flash_attention", caught_by="flash_attention-by_hand", family="blocks_not_scaled_by_d_k"
)
def scaled_by_the_block(Q, K, V, block_size):
    """Your weights depend on the size of a block. Print the scores of query 0: are they the logarithms of 1, 2, 4 and 1?"""
    return softmax(Q @ K.T / math.sqrt(block_size)) @ V


@misconception(
    step="flash_attention", caught_by="flash_attention-by_hand", family="blocks_not_scaled_by_d_k"
)
def blocks_scaled_by_the_values(Q, K, V, block_size):
    """Your weights are too sharp. Print the length that you scale by: are the scores the logarithms of 1, 2, 4 and 1?"""
    return softmax(Q @ K.T / math.sqrt(V.shape[1])) @ V


@misconception(step="flash_attention", caught_by="flash_attention-any_sizes")
def blocks_scaled_by_a_whole_number(Q, K, V, block_size):
    """Square numbers work. Print the number by which you scale for d_k = 8: is its square 8?"""
    return weighted_sum(softmax(attention_scores(Q, K) / int(np.sqrt(Q.shape[-1]))), V)


@misconception(
    step="flash_attention", caught_by="flash_attention-by_hand", family="blocks_that_meet_their_own"
)
def queries_in_blocks_that_meet_their_own(Q, K, V, block_size):
    """Your queries only meet keys of the same block. Print how many keys query 0 meets: how many are there?"""
    parts = []
    for start in range(0, len(Q), block_size):
        block = slice(start, start + block_size)
        parts.append(scaled_dot_product_attention(Q[block], K[block], V[block])[0])
    return np.concatenate(parts)


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def a_causal_mask_slipped_in(Q, K, V, block_size):
    """Some of your queries do not see the last keys. Print the weights of query 0: does the docstring mention a mask?"""
    return scaled_dot_product_attention(
        Q, K, V, causal_mask(len(Q), max(len(K), len(Q)))[:, : len(K)]
    )[0]


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def blocks_return_weights_too(Q, K, V, block_size):
    """Two things come back where one is expected. Print the type of your result: what does the docstring's Returns promise?"""
    return scaled_dot_product_attention(Q, K, V)


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def blocks_by_their_largest_score(Q, K, V, block_size):
    """Your blocks count only by their best key. Print m and l of both blocks for query 0: does a block with more good keys count for more?"""
    outputs, tops = [], []
    for start in range(0, len(K), block_size):
        scores = Q @ K[start : start + block_size].T / math.sqrt(Q.shape[1])
        outputs.append(softmax(scores) @ V[start : start + block_size])
        tops.append(scores.max(axis=1))
    return np.einsum("bn,bnd->nd", softmax(np.array(tops), axis=0), np.array(outputs))


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def lower_blocks_skipped(Q, K, V, block_size):
    """A block without a new largest score is left out. Print l after each block for query 1: do its smaller scores count for nothing?"""
    n = len(Q)
    top, total, output = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        scores = Q @ K[start : start + block_size].T / math.sqrt(Q.shape[1])
        highest = scores.max(axis=1, keepdims=True)
        higher = np.maximum(top, highest)
        powers, shrink = np.exp(scores - higher) * (highest > top), np.exp(top - higher)
        total = shrink * total + powers.sum(axis=1, keepdims=True)
        output = shrink * output + powers @ V[start : start + block_size]
        top = higher
    return output / total


@misconception(step="flash_attention", caught_by="flash_attention-any_block_size")
def left_over_keys_dropped(Q, K, V, block_size):
    """It works where the last block is full. Print the keys of each block with block_size 3: what happens to the fourth key?"""
    n = len(Q)
    top, total, output = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    with np.errstate(invalid="ignore"):
        for b in range(len(K) // block_size):
            block = slice(b * block_size, (b + 1) * block_size)
            scores = Q @ K[block].T / math.sqrt(Q.shape[1])
            higher = np.maximum(top, scores.max(axis=1, keepdims=True))
            powers, shrink = np.exp(scores - higher), np.exp(top - higher)
            total = shrink * total + powers.sum(axis=1, keepdims=True)
            output = shrink * output + powers @ V[block]
            top = higher
        return output / total


@misconception(step="flash_attention", caught_by="flash_attention-any_block_size")
def last_block_filled_with_zeros(Q, K, V, block_size):
    """Where a block is not full, everything comes out too small. Print the scores of your last block with block_size 3: which of them belong to no key?"""
    n, missing = len(Q), -len(K) % block_size
    K, V = np.pad(K, ((0, missing), (0, 0))), np.pad(V, ((0, missing), (0, 0)))
    top, total, output = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, len(K), block_size):
        block = slice(start, start + block_size)
        scores = Q @ K[block].T / math.sqrt(Q.shape[1])
        higher = np.maximum(top, scores.max(axis=1, keepdims=True))
        powers, shrink = np.exp(scores - higher), np.exp(top - higher)
        total = shrink * total + powers.sum(axis=1, keepdims=True)
        output = shrink * output + powers @ V[block]
        top = higher
    return output / total


@misconception(step="flash_attention", caught_by="flash_attention-any_block_size")
def last_block_overlaps(Q, K, V, block_size):
    """Where the last block is not full, some keys count twice. Print the keys of each block with block_size 3: how often does each one occur?"""
    n, m = len(Q), len(K)
    top, total, output = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for start in range(0, m, block_size):
        start = max(0, min(start, m - block_size))
        block = slice(start, start + block_size)
        scores = Q @ K[block].T / math.sqrt(Q.shape[1])
        higher = np.maximum(top, scores.max(axis=1, keepdims=True))
        powers, shrink = np.exp(scores - higher), np.exp(top - higher)
        total = shrink * total + powers.sum(axis=1, keepdims=True)
        output = shrink * output + powers @ V[block]
        top = higher
    return output / total


@misconception(step="flash_attention", caught_by="flash_attention-any_block_size")
def block_size_for_the_number_of_blocks(Q, K, V, block_size):
    """Two blocks of two work, but only by luck. Print how many blocks you make with block_size 1: what does that number count?"""
    parts = np.array_split(np.arange(len(K)), block_size)
    if any(len(part) == 0 for part in parts):
        raise ValueError("an empty block")
    n = len(Q)
    top, total, output = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    for part in parts:
        scores = Q @ K[part].T / math.sqrt(Q.shape[1])
        higher = np.maximum(top, scores.max(axis=1, keepdims=True))
        powers, shrink = np.exp(scores - higher), np.exp(top - higher)
        total = shrink * total + powers.sum(axis=1, keepdims=True)
        output = shrink * output + powers @ V[part]
        top = higher
    return output / total


@misconception(step="flash_attention", caught_by="flash_attention-any_block_size")
def two_blocks_and_no_more(Q, K, V, block_size):
    """Two blocks work, four do not. Print the first key of every block with block_size 1: how many blocks does your function see?"""
    K, V = K[: 2 * block_size], V[: 2 * block_size]
    return scaled_dot_product_attention(Q, K, V)[0]


@misconception(step="flash_attention", caught_by="flash_attention-up_and_down")
def no_largest_score_at_all(Q, K, V, block_size):
    """Small scores work, a thousand does not. Print the exponentials of the block with the large scores: which of m, l and o is missing?"""
    n = len(Q)
    total, output = np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(K), block_size):
            powers = np.exp(Q @ K[start : start + block_size].T / math.sqrt(Q.shape[1]))
            total += powers.sum(axis=1, keepdims=True)
            output += powers @ V[start : start + block_size]
        return output / total


@misconception(step="flash_attention", caught_by="flash_attention-up_and_down")
def largest_of_this_block_only(Q, K, V, block_size):
    """Rising scores work, falling ones do not. Print m after each block for the second query: may it become smaller?"""
    n = len(Q)
    top, total, output = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(K), block_size):
            scores = Q @ K[start : start + block_size].T / math.sqrt(Q.shape[1])
            highest = scores.max(axis=1, keepdims=True)
            powers, shrink = np.exp(scores - highest), np.exp(top - highest)
            total = shrink * total + powers.sum(axis=1, keepdims=True)
            output = shrink * output + powers @ V[start : start + block_size]
            top = highest
        return output / total


@misconception(step="flash_attention", caught_by="flash_attention-up_and_down")
def largest_of_the_first_block(Q, K, V, block_size):
    """Falling scores work, rising ones do not. Print m after each block for the first query: may a later block have a larger score?"""
    n, scale = len(Q), math.sqrt(Q.shape[1])
    total, output = np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    top = (Q @ K[:block_size].T / scale).max(axis=1, keepdims=True)
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(K), block_size):
            powers = np.exp(Q @ K[start : start + block_size].T / scale - top)
            total += powers.sum(axis=1, keepdims=True)
            output += powers @ V[start : start + block_size]
        return output / total


@misconception(step="flash_attention", caught_by="flash_attention-any_sizes")
def scaled_by_the_number_of_keys(Q, K, V, block_size):
    """It works in the examples, but not with other sizes. Print the number that you take the square root of, with five keys of length 3: which axis do the dot products sum over?"""
    return softmax(Q @ K.T / math.sqrt(len(K) if len(K) != 3 else Q.shape[1])) @ V


@misconception(step="flash_attention", caught_by="flash_attention-any_sizes")
def seven_keys_at_most(Q, K, V, block_size):
    """Few keys work, many do not. Print the last key that your loop sees with 23 keys in blocks of 7: how many turns does it make?"""
    blocks = min(4, -(-len(K) // block_size))
    blocks = blocks if block_size > 1 or len(K) <= 4 else 4
    end = min(len(K), blocks * block_size if len(K) < 20 else 21)
    return scaled_dot_product_attention(Q, K[:end], V[:end])[0]


@misconception(step="flash_attention", caught_by="flash_attention-any_sizes")
def a_hundred_keys_at_most(Q, K, V, block_size):
    """A few dozen keys work, more do not. Print the last key that your loop sees with 150 keys in blocks of 16: where does that limit come from?"""
    return scaled_dot_product_attention(Q, K[:100], V[:100])[0]


@misconception(step="flash_attention", caught_by="flash_attention-any_sizes")
def two_hundred_fifty_six_keys_at_most_in_blocks(Q, K, V, block_size):
    """A few hundred keys work, more do not. Print the last key that your loop sees with 300 keys in blocks of 16: where does that limit come from?"""
    return scaled_dot_product_attention(Q, K[:256], V[:256])[0]


@misconception(step="flash_attention", caught_by="flash_attention-any_sizes")
def a_thousand_keys_at_most(Q, K, V, block_size):
    """Hundreds of keys work, more than a thousand do not. Print the last key that your loop sees with 1100 keys in blocks of 100: where does that limit come from?"""
    return scaled_dot_product_attention(Q, K[:1024], V[:1024])[0]


@misconception(step="flash_attention", caught_by="flash_attention-one_query_one_key")
def one_row_without_its_axis(Q, K, V, block_size):
    """Several queries work, but a single one loses an axis. Print the shape of your output for one query: where did you lose an axis?"""
    output = scaled_dot_product_attention(Q, K, V)[0]
    return output.squeeze() if len(Q) == 1 else output


@misconception(
    step="flash_attention", caught_by="flash_attention-large_scores", family="m_begins_too_high"
)
def largest_score_begins_at_zero(Q, K, V, block_size):
    """Where all scores of a query are far below 0, no weight is left. Print m after the first block for such a query: is it one of its scores?"""
    n = len(Q)
    top, total, output = np.zeros((n, 1)), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    with np.errstate(invalid="ignore"):
        for start in range(0, len(K), block_size):
            scores = Q @ K[start : start + block_size].T / math.sqrt(Q.shape[1])
            higher = np.maximum(top, scores.max(axis=1, keepdims=True))
            powers, shrink = np.exp(scores - higher), np.exp(top - higher)
            total = shrink * total + powers.sum(axis=1, keepdims=True)
            output = shrink * output + powers @ V[start : start + block_size]
            top = higher
        return output / total


@misconception(
    step="flash_attention", caught_by="flash_attention-large_scores", family="m_begins_too_high"
)
def largest_score_begins_too_high(Q, K, V, block_size):
    """Where all scores of a query are very low, no weight is left. Print m before the first block, and the lowest score that the docstring allows: which is smaller?"""
    n = len(Q)
    top, total, output = np.full((n, 1), -9e3), np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    with np.errstate(invalid="ignore"):
        for start in range(0, len(K), block_size):
            scores = Q @ K[start : start + block_size].T / math.sqrt(Q.shape[1])
            higher = np.maximum(top, scores.max(axis=1, keepdims=True))
            powers, shrink = np.exp(scores - higher), np.exp(top - higher)
            total = shrink * total + powers.sum(axis=1, keepdims=True)
            output = shrink * output + powers @ V[start : start + block_size]
            top = higher
        return output / total


@misconception(step="flash_attention", caught_by="flash_attention-large_scores")
def one_m_for_all_queries(Q, K, V, block_size):
    """The query with the largest scores works, others do not. Print m, and the exponentials of the query with the smallest scores: how many values of m does your function keep?"""
    n = len(Q)
    top, total, output = -np.inf, np.zeros((n, 1)), np.zeros((n, V.shape[1]))
    with np.errstate(invalid="ignore"):
        for start in range(0, len(K), block_size):
            scores = Q @ K[start : start + block_size].T / math.sqrt(Q.shape[1])
            higher = max(top, scores.max())
            powers, shrink = np.exp(scores - higher), np.exp(top - higher)
            total = shrink * total + powers.sum(axis=1, keepdims=True)
            output = shrink * output + powers @ V[start : start + block_size]
            top = higher
        return output / total


@misconception(step="flash_attention", caught_by="flash_attention-inputs_unchanged")
def queries_scaled_in_place_for_blocks(Q, K, V, block_size):
    """Your first answer is right. Print Q before and after the call: whose array did your function write into?"""
    Q /= math.sqrt(Q.shape[1])
    return softmax(Q @ K.T) @ V


@misconception(
    step="flash_attention", caught_by="flash_attention-by_hand", family="blocks_that_meet_their_own"
)
def query_blocks_that_meet_their_own_or_all(Q, K, V, block_size):
    """Your queries only meet keys of the same block. Print how many keys query 0 meets: how many are there?"""
    parts = []
    for start in range(0, len(Q), block_size):
        block = slice(start, start + block_size)
        keys, values = (K[block], V[block]) if start < len(K) else (K, V)
        parts.append(scaled_dot_product_attention(Q[block], keys, values)[0])
    return np.concatenate(parts)


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def as_many_keys_as_queries(Q, K, V, block_size):
    """Some keys are never met. Print where each of your blocks begins in the first check: do you count queries or keys?"""
    stop = min(-(-len(Q) // block_size) * block_size, len(K))
    return scaled_dot_product_attention(Q, K[:stop], V[:stop])[0]


@misconception(
    step="flash_attention", caught_by="flash_attention-memory", family="all_scores_at_once"
)
def all_scores_first(Q, K, V, block_size):
    """Your answers are right, but you store all scores at once. Print the shape of your largest array: does it grow with the number of keys, or with block_size?"""
    return scaled_dot_product_attention(Q, K, V)[0]


@misconception(
    step="flash_attention", caught_by="flash_attention-memory", family="all_scores_at_once"
)
def blocks_collected(Q, K, V, block_size):
    """You go through the keys block by block, but keep the scores of all blocks. Print how many numbers your list holds after the last one: which of them do you still need?"""
    blocks = []
    for start in range(0, len(K), block_size):
        blocks.append(Q @ K[start : start + block_size].T / math.sqrt(Q.shape[1]))
    top = np.max([block.max(axis=1) for block in blocks], axis=0)[:, None]
    total = sum(np.exp(block - top).sum(axis=1, keepdims=True) for block in blocks)
    output = np.zeros((len(Q), V.shape[1]))
    for place, block in enumerate(blocks):
        output += np.exp(block - top) @ V[place * block_size : (place + 1) * block_size]
    return output / total


@misconception(step="flash_attention", caught_by="flash_attention-large_scores")
def last_block_filled_up_with_low_scores(Q, K, V, block_size):
    """A query whose scores are all very low reads keys that do not exist. Print the scores of your last block where it is not full, for keys that score -9995: which of them are the lowest?"""
    m, missing = len(K), -len(K) % block_size
    K, V = np.pad(K, ((0, missing), (0, 0))), np.pad(V, ((0, missing), (0, 0)))
    top, total = np.full((len(Q), 1), -np.inf), np.zeros((len(Q), 1))
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(0, m, block_size):
        block = slice(start, start + block_size)
        scores = Q @ K[block].T / math.sqrt(Q.shape[1])
        scores[:, np.arange(start, start + block_size) >= m] = -1e4
        new = np.maximum(top, scores.max(axis=1, keepdims=True))
        shares, shrink = np.exp(scores - new), np.exp(top - new)
        total = total * shrink + shares.sum(axis=1, keepdims=True)
        output, top = output * shrink + shares @ V[block], new
    return output / total


# Questions that a value answers


@misconception(step="cache_bytes", caught_by="cache_bytes-answer")
def values_not_kept():
    """This is enough for the keys. Print the cache that your cached_step returns after one token: what else does it hold?"""
    return 12 * 8 * 1000 * 128 * 4


@misconception(step="cache_bytes", caught_by="cache_bytes-answer")
def numbers_for_bytes():
    """This is how many numbers the cache holds. Change the unit of your answer: how much memory does one number take?"""
    return 2 * 12 * 8 * 1000 * 128


@misconception(step="cache_bytes", caught_by="cache_bytes-answer")
def every_head_has_its_own_cache():
    """This is the cache of heads that share no keys. Print the shapes of Q and K in the first check of grouped_query_attention: which of them shows how many heads are kept?"""
    return 2 * 12 * 32 * 1000 * 128 * 4


@misconception(step="cache_bytes", caught_by="cache_bytes-answer")
def one_layer_alone():
    """This is the cache of one layer. Change the product so that it holds for the whole model: can a layer use the keys in the cache of another?"""
    return 2 * 8 * 1000 * 128 * 4


@misconception(step="cache_bytes", caught_by="cache_bytes-answer")
def queries_are_kept():
    """Some of this is never read again. Print what your cached_step needs from an earlier token: is the query of that token part of it?"""
    return (32 + 2 * 8) * 12 * 1000 * 128 * 4


@misconception(step="still_right", caught_by="still_right-answer")
def tokens_change_alone():
    """This holds in the first layer alone. Print the output of the last token before and after an earlier one is replaced: what are its keys in the second layer computed from?"""
    return 99


@misconception(step="still_right", caught_by="still_right-answer")
def replaced_token_counted():
    """You are off by one. Change 100 to 3 and 61st to second, and count again: does the cache of the replaced token itself still hold?"""
    return 61


@misconception(step="still_right", caught_by="still_right-answer")
def those_behind_it():
    """These are the tokens after the new one. Print the outputs of decode_with_cache before and after a token in the middle is replaced: which rows differ?"""
    return 39


@misconception(step="still_right", caught_by="still_right-answer")
def nothing_can_be_kept():
    """This would be so if all tokens saw each other. Print the outputs of decode_with_cache before and after the last token is replaced: which rows differ?"""
    return 0


@misconception(step="sum_so_far", caught_by="sum_so_far-answer")
def old_sum_as_it_was():
    """The first block was summed with another m. Print what 2 was a sum of: what would each part be, had log 15 been subtracted?"""
    return 2 + 1 + 3 / 15


@misconception(step="sum_so_far", caught_by="sum_so_far-answer")
def old_sum_grows():
    """Your old sum has grown. Print the exponential of a score minus 1, and of the same score minus 2: which is larger?"""
    return 2 * 15 / 3 + 1 + 3 / 15


@misconception(step="sum_so_far", caught_by="sum_so_far-answer")
def first_largest_score_for_good():
    """You measure all scores by the first m. Print the exponential of 9,000 minus that m: why does m have to follow the largest score?"""
    return 2 + 15 / 3 + 3 / 3


@misconception(step="sum_so_far", caught_by="sum_so_far-answer")
def new_block_alone():
    """This is the sum of the second block. Print your total before and after a block: what happens to the keys before it?"""
    return 1 + 3 / 15


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def keys_stretched_to_the_queries(Q, K, V):
    """Your keys are stretched to the number of queries. Print the shapes of Q and K: which of their axes may differ, besides the heads?"""
    h, n, d = Q.shape
    g = len(K)
    K = np.broadcast_to(K[:, None], (g, h // g, n, d)).reshape(h, n, d)
    V = np.broadcast_to(V[:, None], (g, h // g, n, d)).reshape(h, n, d)
    return scaled_dot_product_attention(Q, K, V)[0]


@misconception(step="cached_step", caught_by="cached_step-by_hand")
def queries_appended_for_later(q, k, v, cache):
    """The first token is right, but the keys of later calls are wrong. Print what you append to the cache, next to k: is it the key?"""
    keys, values = (part[..., None, :] for part in (k, v))
    kept = q[..., None, :]
    if cache is not None:
        keys, values = np.concatenate([cache[0], keys], axis=-2), np.concatenate([cache[1], values], axis=-2)
        kept = np.concatenate([cache[0], kept], axis=-2)
    output, _ = scaled_dot_product_attention(q[..., None, :], keys, values)
    return output[..., 0, :], (kept, values)


@misconception(step="decode_with_cache", caught_by="decode_with_cache-by_hand")
def one_key_ahead(Q, K, V):
    """Each of your queries also meets the key after its own. Print how many keys the first query gets: which of them is not there yet?"""
    return np.concatenate([scaled_dot_product_attention(Q[i : i + 1], K[: i + 2], V[: i + 2])[0] for i in range(len(Q))])


@misconception(step="rope", caught_by="rope-any_positions")
def angles_kept_by_both_ends(x, positions, base=10000.0):
    """A call is turned by the angles of an earlier one. Call your function with the positions 0, 7, 9, then with 0, 5, 9, and print both angles of row 1: how do you find what you have stored?"""
    global angles_of_ends
    if "angles_of_ends" not in globals():
        angles_of_ends = {}
    d = x.shape[-1]
    key = len(positions), int(positions[0]), int(positions[-1]), d, base
    if key not in angles_of_ends:
        angles_of_ends[key] = np.asarray(positions)[:, None] * base ** (-np.arange(0, d, 2) / d)
    turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles_of_ends[key])
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


@misconception(step="rope", caught_by="rope-any_batch")
def tokens_before_the_heads(x, positions, base=10000.0):
    """Four axes go wrong where the second one is as long as the text. Print the shapes of x and of your angles: which axis of x holds the tokens?"""
    d = x.shape[-1]
    angles = np.asarray(positions)[:, None] * base ** (-np.arange(0, d, 2) / d)
    if x.ndim == 4 and x.shape[1] == len(positions):
        angles = angles[:, None]
    turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-groups")
def always_two_in_a_group(Q, K, V):
    """Groups of two work, larger ones do not. Print the head of keys of each query head for h = 6 and g = 2: how many share one, and where does that number come from?"""
    h, g = len(Q), len(K)
    heads = [0] * h if g == 1 else list(range(h)) if g == h else [min(i // 2, g - 1) for i in range(h)]
    return scaled_dot_product_attention(Q, K[heads], V[heads])[0]


@misconception(step="decode_with_cache", caught_by="decode_with_cache-large_scores")
def later_keys_divided_by_the_root(Q, K, V):
    """Short vectors work, long ones do not. Print the scores of query 0 as they go into softmax, for vectors of length 256: what has become of those of later keys?"""
    scores = np.where(causal_mask(len(Q)), attention_scores(Q, K), -1e5)
    return softmax(scores / np.sqrt(Q.shape[1])) @ V


@misconception(
    step="cached_step", caught_by="cached_step-any_sizes", family="old_tokens_lost"
)
def last_sixty_four_tokens(q, k, v, cache):
    """Short texts work, longer ones lose their beginning. Print how many keys your cache holds after each of 66 tokens: when does it stop growing?"""
    K, V = k[..., None, :], v[..., None, :]
    if cache is not None:
        K, V = np.concatenate([cache[0], K], axis=-2)[..., -64:, :], np.concatenate([cache[1], V], axis=-2)[..., -64:, :]
    return scaled_dot_product_attention(q[..., None, :], K, V)[0][..., 0, :], (K, V)


@misconception(step="cached_step", caught_by="cached_step-any_sizes")
def single_text_without_its_axis(q, k, v, cache):
    """A batch of a single text loses an axis. Print the shapes of q and of your output for q of shape (1, 2): which line takes an axis away?"""
    K, V = k[..., None, :], v[..., None, :]
    if cache is not None:
        K, V = np.concatenate([cache[0], K], axis=-2), np.concatenate([cache[1], V], axis=-2)
    output = scaled_dot_product_attention(q[..., None, :], K, V)[0][..., 0, :]
    return output[0] if output.ndim > 1 and len(output) == 1 else output, (K, V)


@misconception(step="grouped_query_attention", caught_by="grouped_query_attention-by_hand")
def tokens_repeated_and_reshaped(Q, K, V):
    """You repeat tokens, not heads. Print which head of keys each query head uses, and how often each of its keys is in it: should a key be there twice?"""
    times = len(Q) // len(K)
    keys = np.repeat(K, times, axis=1).reshape(len(Q), K.shape[1], -1)
    values = np.repeat(V, times, axis=1).reshape(len(Q), V.shape[1], -1)
    return scaled_dot_product_attention(Q, keys, values)[0]


@misconception(step="rope", caught_by="rope-two_speeds")
def angles_for_halves_pairs_of_neighbours(x, positions, base=10000.0):
    """Your two features of a pair turn by different angles. Print the angle of each of four features at position 1: which two should be equal?"""
    d = x.shape[-1]
    angles = positions[:, None] * base ** (-np.arange(0, d, 2) / d)
    angles = np.concatenate([angles, angles], axis=-1)
    partners = np.stack([-x[..., 1::2], x[..., ::2]], axis=-1).reshape(x.shape)
    return x * np.cos(angles) + partners * np.sin(angles)


@misconception(step="rope", caught_by="rope-by_hand")
def each_feature_by_itself(x, positions, base=10000.0):
    """Your features do not meet their partners. Print where (1, 0) lands at position 1: where does its second feature come from?"""
    d = x.shape[-1]
    angles = np.repeat(positions[:, None] * base ** (-np.arange(0, d, 2) / d), 2, axis=-1)
    return x * np.cos(angles) + x * np.sin(angles)


@misconception(step="flash_attention", caught_by="flash_attention-by_hand")
def factor_for_the_new_block_too(Q, K, V, block_size):
    """You correct the new block as well. Print l after the second block of query 0, and what each block adds to it: which of them was summed with the old m?"""
    m = np.full((len(Q), 1), -np.inf)
    total, output = np.zeros((len(Q), 1)), np.zeros((len(Q), V.shape[1]))
    for start in range(0, len(K), block_size):
        scores = Q @ K[start : start + block_size].T / np.sqrt(Q.shape[1])
        new = np.maximum(m, scores.max(axis=1, keepdims=True))
        powers = np.exp(scores - new)
        factor = np.exp(m - new) if start else 1.0
        total = (total + powers.sum(axis=1, keepdims=True)) * factor
        output = (output + powers @ V[start : start + block_size]) * factor
        m = new
    return output / total
