"""Right answers to tokenizer in styles that few people choose. None of them may lose a point, with any key.

An entry stands by itself, as if handed in: it uses the functions of earlier steps, which are right.
`autograder prove tokenizer` tries them all, and besides them every solution in other clothes.
"""

from autograder.exercises.right_answers import right_answer


# 1. count_pairs


@right_answer(step="count_pairs")
def count_with_a_counter(tokens):
    """A Counter is a dictionary that counts; zip makes the pairs."""
    from collections import Counter

    return Counter(zip(tokens, tokens[1:]))


@right_answer(step="count_pairs")
def count_with_a_default(tokens):
    from collections import defaultdict

    counts = defaultdict(int)
    for place in range(1, len(tokens)):
        counts[tokens[place - 1], tokens[place]] += 1
    return counts


@right_answer(step="count_pairs")
def count_each_pair_anew(tokens):
    pairs = list(zip(tokens, tokens[1:]))
    return {pair: pairs.count(pair) for pair in set(pairs)}


@right_answer(step="count_pairs")
def count_by_sorting(tokens):
    from itertools import groupby

    return {pair: len(list(group)) for pair, group in groupby(sorted(zip(tokens, tokens[1:])))}


@right_answer(step="count_pairs")
def count_halves_apart(tokens):
    """Each half is counted on its own; only the pair across the cut is left."""
    def counted(start, end):
        if end - start < 2:
            return {}
        middle = (start + end) // 2
        counts, right = counted(start, middle), counted(middle, end)
        right[tokens[middle - 1], tokens[middle]] = right.get((tokens[middle - 1], tokens[middle]), 0) + 1
        for pair, count in right.items():
            counts[pair] = counts.get(pair, 0) + count
        return counts

    return counted(0, len(tokens))


@right_answer(step="count_pairs")
def count_with_numpy(tokens):
    import numpy

    if len(tokens) < 2:
        return {}
    pairs, counts = numpy.unique([tokens[:-1], tokens[1:]], axis=1, return_counts=True)
    return {(left, right): count for left, right, count in zip(*pairs, counts)}


@right_answer(step="count_pairs")
def count_with_an_iterator(tokens):
    counts = {}
    rest = iter(tokens)
    left = next(rest, None)
    for right in rest:
        counts.setdefault((left, right), []).append(None)
        left = right
    return {pair: len(met) for pair, met in counts.items()}


# 2. merge_pair


@right_answer(step="merge_pair")
def merge_with_a_for_loop(tokens, pair, new):
    merged, is_used = [], False
    for place, token in enumerate(tokens):
        if is_used:
            is_used = False
        elif place + 1 < len(tokens) and token == pair[0] and tokens[place + 1] == pair[1]:
            merged.append(new)
            is_used = True
        else:
            merged.append(token)
    return merged


@right_answer(step="merge_pair")
def merge_on_a_stack(tokens, pair, new):
    """Each token looks at the one before it, which was already written."""
    merged, is_fresh = [], False
    for token in tokens:
        if merged and not is_fresh and (merged[-1], token) == tuple(pair):
            merged[-1] = new
            is_fresh = True
        else:
            merged.append(token)
            is_fresh = False
    return merged


@right_answer(step="merge_pair")
def merge_with_an_iterator(tokens, pair, new):
    def merged():
        rest = iter(tokens)
        held = []
        for token in rest:
            held.append(token)
            if len(held) == 2:
                if tuple(held) == tuple(pair):
                    yield new
                    held = []
                else:
                    yield held.pop(0)
        yield from held

    return tuple(merged())


@right_answer(step="merge_pair")
def merge_in_a_text_of_numbers(tokens, pair, new):
    """The tokens become a text, and str.replace already works left to right without overlap."""
    text = "".join(f"<{token}>" for token in tokens).replace("<{}><{}>".format(*pair), f"<{new}>")
    return [int(number) for number in text[1:-1].split("><")] if text else []


@right_answer(step="merge_pair")
def merge_by_holes(tokens, pair, new):
    holes = list(tokens)
    for place in range(len(holes) - 1):
        if holes[place] is not None and (tokens[place], tokens[place + 1]) == tuple(pair):
            holes[place], holes[place + 1] = (new,), None
    return [token[0] if isinstance(token, tuple) else token for token in holes if token is not None]


@right_answer(step="merge_pair")
def merge_a_copy_in_place(tokens, pair, new):
    merged = list(tokens)
    place = 0
    while place < len(merged) - 1:
        if (merged[place], merged[place + 1]) == tuple(pair):
            merged[place : place + 2] = [new]
        place += 1
    return merged


@right_answer(step="merge_pair")
def merge_from_a_list_that_is_turned(tokens, pair, new):
    rest = list(reversed(tokens))
    merged = []
    while rest:
        token = rest.pop()
        if rest and token == pair[0] and rest[-1] == pair[1]:
            rest.pop()
            token = new
        merged.append(token)
    return merged


@right_answer(step="merge_pair")
def merge_the_places_found_before(tokens, pair, new):
    starts, free = [], 0
    for place in range(len(tokens) - 1):
        if place >= free and (tokens[place], tokens[place + 1]) == tuple(pair):
            starts.append(place)
            free = place + 2
    merged = list(tokens)
    for place in reversed(starts):
        merged[place : place + 2] = [new]
    return merged


# 3. train


@right_answer(step="train")
def train_with_max(text, merges):
    """max with a key: how often first, then the smaller numbers, as negative ones."""
    tokens, learned = [*text.encode()], []
    while len(learned) < merges:
        counts = count_pairs(tokens)
        if not counts:
            break
        best = max(counts.items(), key=lambda item: (item[1], -item[0][0], -item[0][1]))
        if best[1] < 2:
            break
        tokens = merge_pair(tokens, best[0], 256 + len(learned))
        learned.append(best[0])
    return learned


@right_answer(step="train")
def train_with_a_sorted_list(text, merges):
    tokens = list(bytearray(text, "utf-8"))
    learned = []
    for number in range(merges):
        ranked = sorted(count_pairs(tokens).items())
        ranked.sort(key=lambda item: item[1], reverse=True)
        if not ranked or ranked[0][1] == 1:
            return learned
        learned += [ranked[0][0]]
        tokens = merge_pair(tokens, ranked[0][0], 256 + number)
    return learned


@right_answer(step="train")
def train_with_a_heap(text, merges):
    import heapq

    tokens, learned = list(text.encode("utf-8")), []
    while len(learned) < merges:
        heap = [(-count, pair) for pair, count in count_pairs(tokens).items() if count > 1]
        if not heap:
            break
        heapq.heapify(heap)
        _, pair = heapq.heappop(heap)
        tokens = merge_pair(tokens, pair, 256 + len(learned))
        learned.append(pair)
    return tuple(learned)


@right_answer(step="train")
def train_without_the_earlier_steps(text, merges):
    from collections import Counter

    tokens, learned = list(text.encode("utf-8")), []
    for new in range(256, 256 + merges):
        counts = Counter(zip(tokens, tokens[1:]))
        top = max(counts.values()) if counts else 0
        if top < 2:
            break
        left, right = min(pair for pair, count in counts.items() if count == top)
        place = 0
        while place < len(tokens) - 1:
            if tokens[place] == left and tokens[place + 1] == right:
                tokens[place : place + 2] = [new]
            place += 1
        learned.append([left, right])
    return learned


@right_answer(step="train")
def train_by_calling_itself(text, merges):
    """It learns one pair and calls itself for the rest."""
    def learn(tokens, new, left):
        counts = count_pairs(tokens)
        frequent = [pair for pair, count in counts.items() if count > 1 and count == max(counts.values())]
        if not left or not frequent:
            return []
        pair = sorted(frequent)[0]
        return [pair, *learn(merge_pair(tokens, pair, new), new + 1, left - 1)]

    return learn(list(text.encode("utf-8")), 256, merges)


# 4. encode


@right_answer(step="encode")
def encode_lowest_rank_first(text, merges):
    """It applies the earliest merge that is there, as GPT's tokenizer does, and skips all others."""
    tokens = list(text.encode("utf-8"))
    ranks = {tuple(pair): rank for rank, pair in enumerate(merges)}
    while True:
        known = [pair for pair in count_pairs(tokens) if pair in ranks]
        if not known:
            return tokens
        pair = min(known, key=ranks.__getitem__)
        tokens = merge_pair(tokens, pair, 256 + ranks[pair])


@right_answer(step="encode")
def encode_with_reduce(text, merges):
    """reduce carries the tokens through the merges."""
    from functools import reduce

    return reduce(lambda tokens, about: merge_pair(tokens, about[1], about[0]), enumerate(merges, 256), list(text.encode()))


@right_answer(step="encode")
def encode_one_place_at_a_time(text, merges):
    tokens = [*bytearray(text, "utf-8")]
    while True:
        best = None
        for place in range(len(tokens) - 1):
            pair = (tokens[place], tokens[place + 1])
            if pair in merges and (best is None or merges.index(pair) < merges.index(best[1])):
                best = place, pair
        if best is None:
            return tokens
        place, pair = best
        tokens = tokens[:place] + [256 + merges.index(pair)] + tokens[place + 2 :]


@right_answer(step="encode")
def encode_by_calling_itself(text, merges):
    if not merges:
        return list(text.encode("utf-8"))
    *earlier, last = merges
    return merge_pair(encode_by_calling_itself(text, earlier), last, 255 + len(merges))


@right_answer(step="encode")
def encode_without_the_earlier_steps(text, merges):
    tokens = list(text.encode("utf-8"))
    for number, (left, right) in enumerate(merges):
        merged = []
        while tokens:
            token = tokens.pop(0)
            if token == left and tokens and tokens[0] == right:
                tokens.pop(0)
                token = 256 + number
            merged.append(token)
        tokens = merged
    return tuple(tokens)


# 5. decode


@right_answer(step="decode")
def decode_by_calling_itself(tokens, merges):
    def spelled(token):
        if token < 256:
            return bytes([token])
        left, right = merges[token - 256]
        return spelled(left) + spelled(right)

    return b"".join(map(spelled, tokens)).decode(errors="replace")


@right_answer(step="decode")
def decode_on_a_stack(tokens, merges):
    """A stack of tokens is opened up until only bytes are left."""
    spelled, waiting = bytearray(), list(reversed(tokens))
    while waiting:
        token = waiting.pop()
        if token < 256:
            spelled.append(token)
        else:
            waiting.extend(reversed(merges[token - 256]))
    return str(spelled, "utf-8", "replace")


@right_answer(step="decode")
def decode_from_the_last_merge(tokens, merges):
    """It undoes the merges in reverse order."""
    opened = list(tokens)
    for number in reversed(range(len(merges))):
        opened = [part for token in opened for part in (merges[number] if token == 256 + number else (token,))]
    return bytes(opened).decode("utf-8", "replace")


@right_answer(step="decode")
def decode_until_only_bytes_are_left(tokens, merges):
    while any(token > 255 for token in tokens):
        tokens = [part for token in tokens for part in (merges[token - 256] if token > 255 else [token])]
    return bytes(tokens).decode("utf-8", errors="replace")


@right_answer(step="decode")
def decode_piece_by_piece(tokens, merges):
    import codecs

    pieces = {byte: bytes([byte]) for byte in range(256)}
    for new, (left, right) in enumerate(merges, 256):
        pieces[new] = pieces[left] + pieces[right]
    reader = codecs.getincrementaldecoder("utf-8")(errors="replace")
    return "".join(reader.decode(pieces[token]) for token in tokens) + reader.decode(b"", final=True)


@right_answer(step="decode")
def decode_up_to_each_mistake(tokens, merges):
    def spelled(token):
        return bytes([token]) if token < 256 else b"".join(map(spelled, merges[token - 256]))

    rest, text = b"".join(map(spelled, tokens)), ""
    while True:
        try:
            return text + rest.decode("utf-8")
        except UnicodeDecodeError as mistake:
            text += rest[: mistake.start].decode("utf-8") + "\ufffd"
            rest = rest[mistake.end :]
