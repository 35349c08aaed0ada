"""A third set of answers to `tokenizer`, written from the students' notebook alone.

The docstring says what is wrong, or what is unusual and still right. ``autograder prove tokenizer --answers
tests/fresh/tokenizer_third.py`` grades them.
"""


@wrong_answer(step="count_pairs")
def two_by_two(tokens):
    """Pairs that do not overlap: places 0 and 1, 2 and 3."""
    counts = {}
    for pair in zip(tokens[::2], tokens[1::2]):
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@wrong_answer(step="count_pairs")
def smaller_one_first(tokens):
    """Sorts each pair."""
    counts = {}
    for a, b in zip(tokens, tokens[1:]):
        pair = (min(a, b), max(a, b))
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@wrong_answer(step="count_pairs")
def round_and_round(tokens):
    """tokens[i - 1] of the first place is the last token."""
    counts = {}
    for i in range(len(tokens)):
        pair = (tokens[i - 1], tokens[i])
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@wrong_answer(step="count_pairs")
def begins_with_zero(tokens):
    """The first time a pair is seen does not count."""
    counts = {}
    for pair in zip(tokens, tokens[1:]):
        if pair in counts:
            counts[pair] += 1
        else:
            counts[pair] = 0
    return counts


@wrong_answer(step="count_pairs")
def eats_the_list(tokens):
    """Takes the tokens out of the caller's list."""
    counts = {}
    while len(tokens) > 1:
        left = tokens.pop(0)
        counts[left, tokens[0]] = counts.get((left, tokens[0]), 0) + 1
    return counts


@wrong_answer(step="count_pairs")
def tokens_as_bytes(tokens):
    """Keeps the tokens in an array of bytes, which wraps around at 256."""
    import numpy as np

    array = np.array(tokens, dtype=np.int64).astype(np.uint8)
    counts = {}
    for i in range(len(array) - 1):
        pair = (int(array[i]), int(array[i + 1]))
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@wrong_answer(step="count_pairs")
def keys_are_texts(tokens):
    """The keys are strings."""
    counts = {}
    for a, b in zip(tokens, tokens[1:]):
        counts[f"({a}, {b})"] = counts.get(f"({a}, {b})", 0) + 1
    return counts


@wrong_answer(step="count_pairs")
def most_common_list(tokens):
    """A sorted list of pairs and counts."""
    from collections import Counter

    return Counter(zip(tokens, tokens[1:])).most_common()


@wrong_answer(step="count_pairs")
def last_place_missing(tokens):
    """Stops one pair too early."""
    counts = {}
    for i in range(len(tokens) - 2):
        pair = (tokens[i], tokens[i + 1])
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@wrong_answer(step="merge_pair")
def as_one_string(tokens, pair, new):
    """Replaces inside a string of numbers, so 11 2 contains 1 2."""
    text = " ".join(map(str, tokens)).replace(f"{pair[0]} {pair[1]}", str(new))
    return [int(number) for number in text.split()]


@wrong_answer(step="merge_pair")
def last_token_lost(tokens, pair, new):
    """The loop ends before the last token."""
    out, i = [], 0
    while i < len(tokens) - 1:
        if (tokens[i], tokens[i + 1]) == pair:
            out.append(new)
            i += 2
        else:
            out.append(tokens[i])
            i += 1
    return out


@wrong_answer(step="merge_pair")
def used_tokens_used_again(tokens, pair, new):
    """Goes on by one after a merge."""
    out = []
    for i in range(len(tokens)):
        if i + 1 < len(tokens) and (tokens[i], tokens[i + 1]) == tuple(pair):
            out.append(new)
        elif i > 0 and (tokens[i - 1], tokens[i]) == tuple(pair):
            continue
        else:
            out.append(tokens[i])
    return out


@wrong_answer(step="merge_pair")
def in_the_same_list(tokens, pair, new):
    """Changes the caller's list."""
    i = 0
    while i < len(tokens) - 1:
        if tokens[i] == pair[0] and tokens[i + 1] == pair[1]:
            tokens[i : i + 2] = [new]
        i += 1
    return tokens


@wrong_answer(step="merge_pair")
def until_it_is_gone(tokens, pair, new):
    """Begins again from the left after every merge, so a new token that is part of the pair is merged again."""
    tokens = list(tokens)
    i = 0
    while i < len(tokens) - 1:
        if (tokens[i], tokens[i + 1]) == tuple(pair):
            tokens[i : i + 2] = [new]
            i = max(i - 1, 0)
        else:
            i += 1
    return tokens


@wrong_answer(step="merge_pair")
def from_the_right(tokens, pair, new):
    """Reads from the right end."""
    out, i = [], len(tokens) - 1
    while i >= 0:
        if i > 0 and (tokens[i - 1], tokens[i]) == tuple(pair):
            out.append(new)
            i -= 2
        else:
            out.append(tokens[i])
            i -= 1
    return out[::-1]


@wrong_answer(step="merge_pair")
def the_same_object(tokens, pair, new):
    """`is` compares objects; only small numbers are the same object."""
    out, i = [], 0
    while i < len(tokens):
        if i + 1 < len(tokens) and tokens[i] is pair[0] and tokens[i + 1] is pair[1]:
            out.append(new)
            i += 2
        else:
            out.append(tokens[i])
            i += 1
    return out


@wrong_answer(step="merge_pair")
def none_for_no_pair(tokens, pair, new):
    """Returns nothing where there is nothing to merge."""
    if pair not in list(zip(tokens, tokens[1:])):
        return
    out, i = [], 0
    while i < len(tokens):
        if tuple(tokens[i : i + 2]) == pair:
            out.append(new)
            i += 2
        else:
            out.append(tokens[i])
            i += 1
    return out


@wrong_answer(step="merge_pair")
def marked_and_filtered(tokens, pair, new):
    """Marks what is used with 0 and drops all zeros."""
    out = list(tokens)
    for i in range(len(out) - 1):
        if out[i] == pair[0] and out[i + 1] == pair[1]:
            out[i], out[i + 1] = new, 0
    return [token for token in out if token]


@wrong_answer(step="merge_pair")
def first_one_only(tokens, pair, new):
    """Merges the first occurrence."""
    for i in range(len(tokens) - 1):
        if tokens[i] == pair[0] and tokens[i + 1] == pair[1]:
            return tokens[:i] + [new] + tokens[i + 2 :]
    return list(tokens)


@wrong_answer(step="merge_pair")
def in_either_order(tokens, pair, new):
    """A set has no order."""
    out, i = [], 0
    while i < len(tokens):
        if i + 1 < len(tokens) and {tokens[i], tokens[i + 1]} == set(pair):
            out.append(new)
            i += 2
        else:
            out.append(tokens[i])
            i += 1
    return out


@wrong_answer(step="train")
def first_seen_wins(text, merges):
    """Among equals the pair that was seen first."""
    tokens, learned = list(text.encode("utf-8")), []
    for i in range(merges):
        counts = count_pairs(tokens)
        if not counts:
            break
        pair = max(counts, key=counts.get)
        if counts[pair] < 2:
            break
        learned.append(pair)
        tokens = merge_pair(tokens, pair, 256 + i)
    return learned


@wrong_answer(step="train")
def larger_pair_wins(text, merges):
    """Among equals the larger pair."""
    tokens, learned = list(text.encode("utf-8")), []
    while len(learned) < merges:
        counts = count_pairs(tokens)
        best = max(((n, pair) for pair, n in counts.items()), default=(0, None))
        if best[0] < 2:
            break
        tokens = merge_pair(tokens, best[1], 256 + len(learned))
        learned.append(best[1])
    return learned


@wrong_answer(step="train")
def left_token_decides_alone(text, merges):
    """Among equals only the left token is compared."""
    tokens, learned = list(text.encode("utf-8")), []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if not counts or max(counts.values()) == 1:
            break
        pair = min(counts, key=lambda p: (-counts[p], p[0]))
        learned.append(pair)
        tokens = merge_pair(tokens, pair, new)
    return learned


@wrong_answer(step="train")
def to_the_bitter_end(text, merges):
    """Learns pairs that occur once, too."""
    tokens, learned = list(text.encode("utf-8")), []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if not counts:
            break
        pair = min(counts, key=lambda p: (-counts[p], p))
        learned.append(pair)
        tokens = merge_pair(tokens, pair, new)
    return learned


@wrong_answer(step="train")
def more_than_twice(text, merges):
    """Stops at pairs that occur twice."""
    tokens, learned = list(text.encode("utf-8")), []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if not counts or max(counts.values()) <= 2:
            break
        pair = min(counts, key=lambda p: (-counts[p], p))
        learned.append(pair)
        tokens = merge_pair(tokens, pair, new)
    return learned


@wrong_answer(step="train")
def counted_once(text, merges):
    """The most frequent pairs of the bytes, without merging in between."""
    counts = count_pairs(list(text.encode("utf-8")))
    ranked = sorted(counts, key=lambda pair: (-counts[pair], pair))
    return [pair for pair in ranked if counts[pair] > 1][:merges]


@wrong_answer(step="train")
def stripped_text(text, merges):
    """Strips spaces and line ends around the text."""
    tokens, learned = list(text.strip().encode("utf-8")), []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if not counts or max(counts.values()) < 2:
            break
        pair = min(counts, key=lambda p: (-counts[p], p))
        learned.append(pair)
        tokens = merge_pair(tokens, pair, new)
    return learned


@wrong_answer(step="train")
def word_by_word(text, merges):
    """Counts within words, as GPT-2 does."""
    words, learned = [list(word.encode("utf-8")) for word in text.split(" ")], []
    for new in range(256, 256 + merges):
        counts = {}
        for word in words:
            for pair, n in count_pairs(word).items():
                counts[pair] = counts.get(pair, 0) + n
        if not counts or max(counts.values()) < 2:
            break
        pair = min(counts, key=lambda p: (-counts[p], p))
        learned.append(pair)
        words = [merge_pair(word, pair, new) for word in words]
    return learned


@wrong_answer(step="train")
def code_points(text, merges):
    """ord gives the number of a letter, not its bytes."""
    tokens, learned = [ord(letter) for letter in text], []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if not counts or max(counts.values()) < 2:
            break
        pair = min(counts, key=lambda p: (-counts[p], p))
        learned.append(pair)
        tokens = merge_pair(tokens, pair, new)
    return learned


@wrong_answer(step="train")
def a_dictionary_of_merges(text, merges):
    """From pair to number, as many libraries keep it."""
    tokens, learned = list(text.encode("utf-8")), {}
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if not counts or max(counts.values()) < 2:
            break
        pair = min(counts, key=lambda p: (-counts[p], p))
        learned[pair] = new
        tokens = merge_pair(tokens, pair, new)
    return learned


@wrong_answer(step="train")
def next_after_the_largest(text, merges):
    """The new number is one more than the largest in the text."""
    tokens, learned = list(text.encode("utf-8")), []
    while len(learned) < merges:
        counts = count_pairs(tokens)
        if not counts or max(counts.values()) < 2:
            break
        pair = min(counts, key=lambda p: (-counts[p], p))
        learned.append(pair)
        tokens = merge_pair(tokens, pair, max(tokens) + 1)
    return learned


@wrong_answer(step="train")
def one_at_least(text, merges):
    """Asks whether it has enough after it has learned one."""
    tokens, learned = list(text.encode("utf-8")), []
    while True:
        counts = count_pairs(tokens)
        if not counts or max(counts.values()) < 2:
            return learned
        pair = min(counts, key=lambda p: (-counts[p], p))
        tokens = merge_pair(tokens, pair, 256 + len(learned))
        learned.append(pair)
        if len(learned) >= merges:
            return learned


@wrong_answer(step="train")
def one_kind_of_line_end(text, merges):
    """Replaces the line ends of Windows."""
    tokens, learned = list(text.replace("\r\n", "\n").encode("utf-8")), []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if not counts or max(counts.values()) < 2:
            break
        pair = min(counts, key=lambda p: (-counts[p], p))
        learned.append(pair)
        tokens = merge_pair(tokens, pair, new)
    return learned


@wrong_answer(step="train")
def nothing_to_choose_from(text, merges):
    """max of an empty dictionary raises."""
    tokens, learned = list(text.encode("utf-8")), []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        top = max(counts.values())
        if top == 1:
            break
        pair = min(pair for pair in counts if counts[pair] == top)
        learned.append(pair)
        tokens = merge_pair(tokens, pair, new)
    return learned


@wrong_answer(step="encode")
def last_learned_first(text, merges):
    """Applies the merges from the end."""
    tokens = list(text.encode("utf-8"))
    for i in reversed(range(len(merges))):
        tokens = merge_pair(tokens, merges[i], 256 + i)
    return tokens


@wrong_answer(step="encode")
def numbered_as_they_occur(text, merges):
    """Numbers only the merges that occur in this text."""
    tokens, new = list(text.encode("utf-8")), 256
    for pair in merges:
        if pair in count_pairs(tokens):
            tokens = merge_pair(tokens, pair, new)
            new += 1
    return tokens


@wrong_answer(step="encode")
def stops_at_the_first_gap(text, merges):
    """Breaks off at a pair that does not occur."""
    tokens = list(text.encode("utf-8"))
    for i, pair in enumerate(merges):
        if pair not in zip(tokens, tokens[1:]):
            break
        tokens = merge_pair(tokens, pair, 256 + i)
    return tokens


@wrong_answer(step="encode")
def longest_piece_first(text, merges):
    """From left to right, the longest known piece."""
    pieces = {bytes([b]): b for b in range(256)}
    spelled = [bytes([b]) for b in range(256)]
    for left, right in merges:
        spelled.append(spelled[left] + spelled[right])
        pieces.setdefault(spelled[-1], len(spelled) - 1)
    data, tokens, i = text.encode("utf-8"), [], 0
    while i < len(data):
        for size in range(len(data) - i, 0, -1):
            if data[i : i + size] in pieces:
                tokens.append(pieces[data[i : i + size]])
                i += size
                break
    return tokens


@wrong_answer(step="encode")
def most_frequent_first(text, merges):
    """Merges what is most frequent in this text."""
    numbers = {tuple(pair): 256 + i for i, pair in enumerate(merges)}
    tokens = list(text.encode("utf-8"))
    while True:
        known = {pair: n for pair, n in count_pairs(tokens).items() if pair in numbers}
        if not known:
            return tokens
        pair = max(known, key=lambda p: (known[p], -numbers[p]))
        tokens = merge_pair(tokens, pair, numbers[pair])


@wrong_answer(step="encode")
def list_used_up(text, merges):
    """Takes the merges out of the caller's list."""
    tokens, new = list(text.encode("utf-8")), 256
    while merges:
        tokens = merge_pair(tokens, merges.pop(0), new)
        new += 1
    return tokens


@wrong_answer(step="encode")
def replaced_as_letters(text, merges):
    """Replaces in the text itself; a letter beyond 255 is taken for a merged token."""
    for i, (left, right) in enumerate(merges):
        text = text.replace(chr(left) + chr(right), chr(256 + i))
    return [ord(letter) for letter in text]


@wrong_answer(step="encode")
def small_letters(text, merges):
    """Makes everything lower case, as BERT's uncased tokenizer."""
    tokens = list(text.lower().encode("utf-8"))
    for i, pair in enumerate(merges):
        tokens = merge_pair(tokens, pair, 256 + i)
    return tokens


@wrong_answer(step="encode")
def begins_at_one(text, merges):
    """enumerate from 1."""
    tokens = list(text.encode("utf-8"))
    for i, pair in enumerate(merges, 1):
        tokens = merge_pair(tokens, pair, 256 + i)
    return tokens


@wrong_answer(step="encode")
def spaces_of_one_kind(text, merges):
    """Every run of white space becomes one space."""
    tokens = list(" ".join(text.split()).encode("utf-8"))
    for i, pair in enumerate(merges):
        tokens = merge_pair(tokens, pair, 256 + i)
    return tokens


@wrong_answer(step="decode")
def right_part_first(tokens, merges):
    """Spells out from a stack, right part on top."""
    data, stack = [], list(tokens)[::-1]
    while stack:
        token = stack.pop()
        if token < 256:
            data.append(token)
        else:
            stack.extend(merges[token - 256])
    return bytes(data).decode("utf-8", errors="replace")


@wrong_answer(step="decode")
def token_by_token(tokens, merges):
    """Decodes each token by itself."""
    spelled = [bytes([b]) for b in range(256)]
    for left, right in merges:
        spelled.append(spelled[left] + spelled[right])
    return "".join(spelled[token].decode("utf-8", errors="replace") for token in tokens)


@wrong_answer(step="decode")
def drops_what_is_no_text(tokens, merges):
    """errors="ignore"."""
    spelled = [bytes([b]) for b in range(256)]
    for left, right in merges:
        spelled.append(spelled[left] + spelled[right])
    return b"".join(spelled[token] for token in tokens).decode("utf-8", errors="ignore")


@wrong_answer(step="decode")
def raises_for_no_text(tokens, merges):
    """decode without errors=."""
    spelled = [bytes([b]) for b in range(256)]
    for left, right in merges:
        spelled.append(spelled[left] + spelled[right])
    return b"".join(spelled[token] for token in tokens).decode()


@wrong_answer(step="decode")
def every_byte_a_letter(tokens, merges):
    """chr of each byte."""
    spelled = [chr(b) for b in range(256)]
    for left, right in merges:
        spelled.append(spelled[left] + spelled[right])
    return "".join(spelled[token] for token in tokens)


@wrong_answer(step="decode")
def one_level_down(tokens, merges):
    """Spells out once; what is merged twice stays a number that is no byte."""
    data = []
    for token in tokens:
        data.extend(merges[token - 256] if token >= 256 else [token])
    return bytes(number % 256 for number in data).decode("utf-8", "replace")


@wrong_answer(step="decode")
def spelled_once_and_for_all(tokens, merges, spelled={}):
    """Keeps the spelling of tokens from one call to the next, whatever the merges are then."""

    def spell(token):
        if token < 256:
            return bytes([token])
        if token not in spelled:
            left, right = merges[token - 256]
            spelled[token] = spell(left) + spell(right)
        return spelled[token]

    return b"".join(map(spell, tokens)).decode("utf-8", errors="replace")


@wrong_answer(step="decode")
def stack_of_the_caller(tokens, merges):
    """Uses up the caller's tokens."""
    data = []
    while tokens:
        token = tokens.pop(0)
        if token < 256:
            data.append(token)
        else:
            tokens[:0] = merges[token - 256]
    return bytes(data).decode("utf-8", errors="replace")


@wrong_answer(step="decode")
def all_or_nothing(tokens, merges):
    """One bad byte, and the whole text becomes a single U+FFFD."""
    spelled = [bytes([b]) for b in range(256)]
    for left, right in merges:
        spelled.append(spelled[left] + spelled[right])
    try:
        return b"".join(spelled[token] for token in tokens).decode("utf-8")
    except UnicodeDecodeError:
        return "\ufffd"


@wrong_answer(step="decode")
def bytes_not_text(tokens, merges):
    """Forgets to decode."""
    spelled = [bytes([b]) for b in range(256)]
    for left, right in merges:
        spelled.append(spelled[left] + spelled[right])
    return b"".join(spelled[token] for token in tokens)


@wrong_answer(step="decode")
def question_marks(tokens, merges):
    """Shows a question mark instead of U+FFFD."""
    spelled = [bytes([b]) for b in range(256)]
    for left, right in merges:
        spelled.append(spelled[left] + spelled[right])
    return (
        b"".join(spelled[token] for token in tokens)
        .decode("utf-8", "replace")
        .replace("\ufffd", "?")
    )


@right_answer(step="count_pairs")
def counted_by_a_counter(tokens):
    """A Counter of an iterator that runs one ahead."""
    from collections import Counter
    from itertools import tee

    one, other = tee(tokens)
    next(other, None)
    return Counter(zip(one, other))


@right_answer(step="count_pairs")
def sorted_and_grouped(tokens):
    """Sorts the pairs and counts the runs."""
    from itertools import groupby

    pairs = sorted((tokens[i], tokens[i + 1]) for i in range(len(tokens) - 1))
    return {pair: sum(1 for _ in run) for pair, run in groupby(pairs)}


@right_answer(step="merge_pair")
def a_generator_of_tokens(tokens, pair, new):
    """A generator that looks one token ahead, and a tuple in the end."""

    def merged():
        waiting = []
        for token in tokens:
            if waiting and (waiting[0], token) == tuple(pair):
                yield new
                waiting = []
            else:
                yield from waiting
                waiting = [token]
        yield from waiting

    return tuple(merged())


@right_answer(step="merge_pair")
def halves_of_a_stack(tokens, pair, new):
    """A deque that gives tokens back to its left end."""
    from collections import deque

    rest, out = deque(tokens), []
    while rest:
        left = rest.popleft()
        if left == pair[0] and rest and rest[0] == pair[1]:
            rest.popleft()
            left = new
        out.append(left)
    return out


@right_answer(step="train")
def recursive_training(text, merges):
    """Recursion, one pair for each call."""

    def learn(tokens, new):
        if new == 256 + merges:
            return []
        ranked = sorted((-n, pair) for pair, n in count_pairs(tokens).items() if n > 1)
        if not ranked:
            return []
        pair = ranked[0][1]
        return [pair, *learn(merge_pair(tokens, pair, new), new + 1)]

    return learn(bytearray(text, "utf-8"), 256)


@right_answer(step="encode")
def replaced_in_latin_1(text, merges):
    """Bytes as the letters of Latin-1, and str.replace, which reads from left to right as well."""
    word = text.encode("utf-8").decode("latin-1")
    for i, (left, right) in enumerate(merges):
        word = word.replace(chr(left) + chr(right), chr(256 + i))
    return [ord(letter) for letter in word]


@right_answer(step="encode")
def earliest_merge_first(text, merges):
    """Looks up the earliest merge that occurs, as often as one does."""
    rank = {tuple(pair): i for i, pair in reversed(list(enumerate(merges)))}
    tokens = list(text.encode())
    while len(tokens) > 1:
        pair = min(count_pairs(tokens), key=lambda p: rank.get(p, len(merges)))
        if pair not in rank:
            break
        tokens = merge_pair(tokens, pair, 256 + rank[pair])
    return tokens


@right_answer(step="decode")
def merges_undone_from_the_end(tokens, merges):
    """Replaces the largest numbers first, in slices."""
    tokens = list(tokens)
    for new in range(255 + len(merges), 255, -1):
        while new in tokens:
            place = tokens.index(new)
            tokens[place : place + 1] = merges[new - 256]
    return str(bytes(tokens), encoding="utf-8", errors="replace")


@right_answer(step="decode")
def spelled_by_recursion(tokens, merges):
    """A generator that calls itself."""

    def spell(token):
        if token < 256:
            yield token
        else:
            for part in merges[token - 256]:
                yield from spell(part)

    return bytes(byte for token in tokens for byte in spell(token)).decode(errors="replace")
