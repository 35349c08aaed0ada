"""A second set of answers to `tokenizer`, written from the students' notebook alone.

The docstring says what is wrong, or what is unusual and still right. ``autograder prove tokenizer --answers
tests/fresh/tokenizer_second.py`` grades them.
"""


@wrong_answer(step="count_pairs")
def steps_of_two(tokens):
    """Goes on by two places: pairs do not overlap."""
    counts = {}
    for i in range(0, len(tokens) - 1, 2):
        pair = (tokens[i], tokens[i + 1])
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@wrong_answer(step="count_pairs")
def last_pair_missing(tokens):
    """range(len(tokens) - 2)."""
    counts = {}
    for i in range(len(tokens) - 2):
        pair = (tokens[i], tokens[i + 1])
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@wrong_answer(step="count_pairs")
def order_does_not_matter(tokens):
    """Counts (2, 1) as (1, 2)."""
    counts = {}
    for left, right in zip(tokens, tokens[1:]):
        pair = (min(left, right), max(left, right))
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@wrong_answer(step="count_pairs")
def only_what_comes_twice(tokens):
    """Pairs that stand there once are left out, as training needs it."""
    counts = {}
    for pair in zip(tokens, tokens[1:]):
        counts[pair] = counts.get(pair, 0) + 1
    return {pair: n for pair, n in counts.items() if n > 1}


@wrong_answer(step="count_pairs")
def counted_in_text(tokens):
    """Writes the tokens as text and counts there: 12 contains 2, and overlaps are missed."""
    text = " ".join(map(str, tokens))
    return {(a, b): text.count(f"{a} {b}") for a, b in zip(tokens, tokens[1:])}


@wrong_answer(step="count_pairs")
def table_of_bytes(tokens):
    """A table 1000 by 1000: larger tokens do not fit."""
    table = np.zeros((1000, 1000), dtype=int)
    for left, right in zip(tokens, tokens[1:]):
        table[left, right] += 1
    return {(int(a), int(b)): int(table[a, b]) for a, b in zip(*np.nonzero(table))}


@wrong_answer(step="merge_pair")
def last_token_lost(tokens, pair, new):
    """Stops before the last token, and forgets it if it was not merged."""
    merged, i = [], 0
    while i < len(tokens) - 1:
        if (tokens[i], tokens[i + 1]) == tuple(pair):
            merged.append(new)
            i += 2
        else:
            merged.append(tokens[i])
            i += 1
    return merged


@wrong_answer(step="merge_pair")
def right_to_left(tokens, pair, new):
    """Reads from the end."""
    merged, i = [], len(tokens) - 1
    while i >= 0:
        if i and (tokens[i - 1], tokens[i]) == tuple(pair):
            merged.append(new)
            i -= 2
        else:
            merged.append(tokens[i])
            i -= 1
    return merged[::-1]


@wrong_answer(step="merge_pair")
def merged_again(tokens, pair, new):
    """Looks at what it has just written: a new token may be part of the pair again."""
    merged = []
    for token in tokens:
        merged.append(token)
        while tuple(merged[-2:]) == tuple(pair):
            merged[-2:] = [new]
    return merged


@wrong_answer(step="merge_pair")
def in_the_list_itself(tokens, pair, new):
    """Deletes from the list that came in, and returns it."""
    i = 0
    while i < len(tokens) - 1:
        if (tokens[i], tokens[i + 1]) == tuple(pair):
            tokens[i : i + 2] = [new]
        i += 1
    return tokens


@wrong_answer(step="merge_pair")
def zero_dropped(tokens, pair, new):
    """Marks used tokens with None and drops them with `if token`: 0 goes, too."""
    marked, i = list(tokens), 0
    while i < len(marked) - 1:
        if (marked[i], marked[i + 1]) == tuple(pair):
            marked[i], marked[i + 1] = new, None
            i += 1
        i += 1
    return [token for token in marked if token]


@wrong_answer(step="merge_pair")
def as_characters(tokens, pair, new):
    """Characters and str.replace: large numbers and surrogates are no characters."""
    text = "".join(map(chr, tokens)).replace(chr(pair[0]) + chr(pair[1]), chr(new))
    return [ord(letter) for letter in text]


@wrong_answer(step="train")
def ties_to_the_first_seen(text, merges):
    """Among equals the one that comes first in the text."""
    tokens, pairs = list(text.encode()), []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if not counts or max(counts.values()) < 2:
            break
        pair = max(counts, key=counts.get)
        pairs.append(pair)
        tokens = merge_pair(tokens, pair, new)
    return pairs


@wrong_answer(step="train")
def smaller_sum_wins(text, merges):
    """Among equals the one with the smaller sum."""
    tokens, pairs = list(text.encode()), []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if not counts or max(counts.values()) < 2:
            break
        pair = min(counts, key=lambda p: (-counts[p], p[0] + p[1], p))
        pairs.append(pair)
        tokens = merge_pair(tokens, pair, new)
    return pairs


@wrong_answer(step="train")
def learns_until_one_token(text, merges):
    """Stops only where no pair is left."""
    tokens, pairs = list(text.encode()), []
    while len(pairs) < merges and len(tokens) > 1:
        counts = count_pairs(tokens)
        pair = min(counts, key=lambda p: (-counts[p], p))
        tokens = merge_pair(tokens, pair, 256 + len(pairs))
        pairs.append(pair)
    return pairs


@wrong_answer(step="train")
def stripped(text, merges):
    """Takes off spaces and line ends at both sides, as one does."""
    tokens, pairs = list(text.strip().encode()), []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if not counts or max(counts.values()) < 2:
            break
        pair = min(counts, key=lambda p: (-counts[p], p))
        pairs.append(pair)
        tokens = merge_pair(tokens, pair, new)
    return pairs


@wrong_answer(step="train")
def code_points(text, merges):
    """ord of each letter instead of bytes."""
    tokens, pairs = [ord(letter) for letter in text], []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if not counts or max(counts.values()) < 2:
            break
        pair = min(counts, key=lambda p: (-counts[p], p))
        pairs.append(pair)
        tokens = merge_pair(tokens, pair, new)
    return pairs


@wrong_answer(step="train")
def at_least_one(text, merges):
    """Learns first and asks afterwards: one merge too many where none was asked for."""
    tokens, pairs = list(text.encode()), []
    while True:
        counts = count_pairs(tokens)
        if not counts or max(counts.values()) < 2:
            return pairs
        pair = min(counts, key=lambda p: (-counts[p], p))
        tokens = merge_pair(tokens, pair, 256 + len(pairs))
        pairs.append(pair)
        if len(pairs) >= merges:
            return pairs


@wrong_answer(step="encode")
def most_frequent_first(text, merges):
    """Merges the known pair that is most frequent in this text."""
    tokens, known = list(text.encode()), {tuple(pair): 256 + i for i, pair in enumerate(merges)}
    while True:
        counts = {pair: n for pair, n in count_pairs(tokens).items() if pair in known}
        if not counts:
            return tokens
        pair = max(counts, key=lambda p: (counts[p], -known[p]))
        tokens = merge_pair(tokens, pair, known[pair])


@wrong_answer(step="encode")
def stops_at_a_gap(text, merges):
    """Ends at the first pair that is not there."""
    tokens = list(text.encode())
    for new, pair in enumerate(merges, start=256):
        after = merge_pair(tokens, pair, new)
        if after == tokens:
            break
        tokens = after
    return tokens


@wrong_answer(step="encode")
def word_by_word(text, merges):
    """Cuts at spaces first, as real tokenizers do."""
    tokens = []
    for place, word in enumerate(text.split(" ")):
        part = list((" " * (place > 0) + word).encode())
        for new, pair in enumerate(merges, start=256):
            part = merge_pair(part, pair, new)
        tokens += part
    return tokens


@wrong_answer(step="encode")
def longest_piece_first(text, merges):
    """Takes the longest known piece from the left."""
    pieces = {bytes([b]): b for b in range(256)}
    spelled = [bytes([b]) for b in range(256)]
    for new, (left, right) in enumerate(merges, start=256):
        spelled.append(spelled[left] + spelled[right])
        pieces.setdefault(spelled[-1], new)
    data, tokens, i = text.encode(), [], 0
    while i < len(data):
        size = max(n for n in range(1, len(data) - i + 1) if data[i : i + n] in pieces)
        tokens.append(pieces[data[i : i + size]])
        i += size
    return tokens


@wrong_answer(step="decode")
def bad_bytes_left_out(tokens, merges):
    """errors="ignore"."""
    pieces = [bytes([b]) for b in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return b"".join(pieces[token] for token in tokens).decode("utf-8", errors="ignore")


@wrong_answer(step="decode")
def token_by_token(tokens, merges):
    """Reads each token as text by itself."""
    pieces = [bytes([b]) for b in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return "".join(pieces[token].decode("utf-8", errors="replace") for token in tokens)


@wrong_answer(step="decode")
def four_levels(tokens, merges):
    """Spells the merges out four times, not to the end."""
    for _ in range(4):
        spelled = []
        for token in tokens:
            spelled += merges[token - 256] if token >= 256 else [token]
        tokens = spelled
    return bytes(token % 256 for token in tokens).decode("utf-8", errors="replace")


@wrong_answer(step="decode")
def line_ends_normalised(tokens, merges):
    """Reads lines and joins them with newlines."""
    pieces = [bytes([b]) for b in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return "\n".join(
        b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace").splitlines()
    )


@wrong_answer(step="decode")
def every_large_byte_replaced(tokens, merges):
    """Where anything is broken, every byte from 128 on becomes U+FFFD."""
    pieces = [bytes([b]) for b in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    data = b"".join(pieces[token] for token in tokens)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(chr(b) if b < 128 else "\ufffd" for b in data)


@right_answer(step="count_pairs")
def recursive_halves(tokens):
    """Both halves, and the pair between them."""
    if len(tokens) < 2:
        return {}
    middle = len(tokens) // 2
    counts = recursive_halves(tokens[:middle])
    for pair, n in recursive_halves(tokens[middle:]).items():
        counts[pair] = counts.get(pair, 0) + n
    between = (tokens[middle - 1], tokens[middle])
    counts[between] = counts.get(between, 0) + 1
    return counts


@right_answer(step="merge_pair")
def stack_of_tokens(tokens, pair, new):
    """A queue that is emptied from the left."""
    from collections import deque

    left, right = pair
    waiting, merged = deque(tokens), []
    while waiting:
        token = waiting.popleft()
        if token == left and waiting and waiting[0] == right:
            waiting.popleft()
            merged.append(new)
        else:
            merged.append(token)
    return tuple(merged)


@right_answer(step="train")
def counted_once_and_sorted(text, merges):
    """Sorts the pairs, then counts runs."""
    from itertools import groupby

    tokens, pairs = list(text.encode("utf-8")), []
    while len(pairs) < merges:
        runs = [(-len(list(run)), pair) for pair, run in groupby(sorted(zip(tokens, tokens[1:])))]
        if not runs or min(runs)[0] > -2:
            break
        pairs.append(min(runs)[1])
        tokens = merge_pair(tokens, pairs[-1], 255 + len(pairs))
    return pairs


@right_answer(step="encode")
def lowest_rank_each_time(text, merges):
    """Merges one place at a time: the pair that was learned first, at its leftmost place."""
    rank = {}
    for place, pair in enumerate(merges):
        rank.setdefault(tuple(pair), place)
    tokens = list(text.encode("utf-8"))
    while True:
        places = [(rank[pair], i) for i, pair in enumerate(zip(tokens, tokens[1:])) if pair in rank]
        if not places:
            return tokens
        first, i = min(places)
        tokens[i : i + 2] = [256 + first]


@right_answer(step="decode")
def unmerged_backwards(tokens, merges):
    """Undoes the merges from the last to the first."""
    for token in range(255 + len(merges), 255, -1):
        spelled = []
        for t in tokens:
            spelled.extend(merges[token - 256] if t == token else (t,))
        tokens = spelled
    return str(bytes(tokens), "utf-8", "replace")
