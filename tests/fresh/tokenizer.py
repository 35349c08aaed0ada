"""Answers to `tokenizer`, written from the students' notebook alone, before any check or hint was mended for them.

The docstring says what is wrong. ``autograder prove tokenizer --answers tests/fresh/tokenizer.py`` grades them.
"""


@wrong_answer(step="count_pairs", named="tokens_used_up")
def list_emptied(tokens):
    """Takes the tokens off the list while it counts."""
    counts = {}
    while len(tokens) > 1:
        pair = tokens.pop(0), tokens[0]
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@wrong_answer(step="count_pairs", named="steps_of_two")
def every_second_pair(tokens):
    """Pairs that do not overlap only."""
    counts = {}
    for i in range(0, len(tokens) - 1, 2):
        pair = tokens[i], tokens[i + 1]
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@wrong_answer(step="count_pairs", named="zero_is_no_token")
def zero_is_nothing(tokens):
    """A pair with token 0 is passed over, for 0 is false."""
    counts = {}
    for left, right in zip(tokens, tokens[1:]):
        if left and right:
            counts[left, right] = counts.get((left, right), 0) + 1
    return counts


@wrong_answer(step="count_pairs", named="both_orders_together")
def order_ignored(tokens):
    """(1, 2) and (2, 1) are counted together."""
    counts = {}
    for pair in zip(tokens, tokens[1:]):
        pair = tuple(sorted(pair))
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@wrong_answer(step="merge_pair", named="right_to_left")
def from_right_to_left(tokens, pair, new):
    """Goes through the list from its end."""
    result, i = [], len(tokens) - 1
    while i >= 0:
        if i > 0 and (tokens[i - 1], tokens[i]) == tuple(pair):
            result.insert(0, new)
            i -= 2
        else:
            result.insert(0, tokens[i])
            i -= 1
    return result


@wrong_answer(step="merge_pair", named="merged_in_place")
def in_the_list_itself(tokens, pair, new):
    """Writes into the list that came in."""
    i = 0
    while i < len(tokens) - 1:
        if (tokens[i], tokens[i + 1]) == tuple(pair):
            tokens[i : i + 2] = [new]
        i += 1
    return tokens


@wrong_answer(step="merge_pair", named="first_occurrence_alone")
def only_once(tokens, pair, new):
    """Stops after the first pair."""
    for i in range(len(tokens) - 1):
        if (tokens[i], tokens[i + 1]) == tuple(pair):
            return tokens[:i] + [new] + tokens[i + 2 :]
    return list(tokens)


@wrong_answer(step="train", named="counted_word_by_word")
def word_by_word(text, merges):
    """Pairs are counted within words, never across a space."""
    words = [list(word.encode()) for word in text.split(" ")]
    learned = []
    for i in range(merges):
        counts = {}
        for word in words:
            for pair, count in count_pairs(word).items():
                counts[pair] = counts.get(pair, 0) + count
        if not counts or max(counts.values()) < 2:
            break
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        words = [merge_pair(word, best, 256 + i) for word in words]
        learned.append(best)
    return learned


@wrong_answer(step="train", named="pairs_that_stand_once")
def without_stopping(text, merges):
    """Merges pairs that occur once, too."""
    tokens, learned = list(text.encode()), []
    for i in range(merges):
        counts = count_pairs(tokens)
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, best, 256 + i)
        learned.append(best)
    return learned


@wrong_answer(step="train", named="counted_once_and_for_all")
def counted_once_for_all(text, merges):
    """The counts of the text as it began serve all merges."""
    counts = count_pairs(list(text.encode()))
    order = sorted(counts, key=lambda pair: (-counts[pair], pair))
    return [pair for pair in order if counts[pair] > 1][:merges]


@wrong_answer(step="encode", named="capitals_made_small_before_merging")
def lower_case(text, merges):
    """Writes everything small first."""
    tokens = list(text.lower().encode())
    for i, pair in enumerate(merges):
        tokens = merge_pair(tokens, pair, 256 + i)
    return tokens


@wrong_answer(step="encode", named="merges_from_the_end")
def newest_merges_first(text, merges):
    """Applies the merges from last to first."""
    tokens = list(text.encode())
    for i, pair in reversed(list(enumerate(merges))):
        tokens = merge_pair(tokens, pair, 256 + i)
    return tokens


@wrong_answer(step="decode")
def one_merge_deep(tokens, merges):
    """Opens every token once, and what comes out may be a merged one again."""
    raw = []
    for token in tokens:
        raw += merges[token - 256] if token > 255 else [token]
    return bytes(byte % 256 for byte in raw).decode("utf-8", "replace")


@wrong_answer(step="decode", named="zeros_left_out_afterwards")
def nothing_at_zero(tokens, merges):
    """Bytes of 0 are taken for padding, and left out."""
    parts = {i: bytes([i]) for i in range(256)}
    for i, (left, right) in enumerate(merges):
        parts[256 + i] = parts[left] + parts[right]
    return b"".join(parts[token] for token in tokens if token).decode("utf-8", "replace")
