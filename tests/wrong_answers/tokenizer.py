"""Wrong answers to `tokenizer`, which its bank does not have, as in `attention`."""

WITHOUT_BANK = {
    "steps_of_two": "loop_in_steps",
    "last_pair_forgotten": "some_left_out",
    "one_less_than_met": "one_less",
    "equal_neighbours_left_out": "something_missing",
    "tokens_far_apart": "counted_too_much",
    "ends_joined": "counted_too_much",
    "keys_as_text": "keys_of_other_type",
    "pair_as_one_number": "wrong_with_large_whole_numbers",
    "tokens_of_32_bits": "wrong_with_large_whole_numbers",
    "frequent_pairs_alone": "something_missing",
    "list_of_counts": "other_type",
    "shares_of_all_pairs": "scaled_somehow",
    "returned_within_the_loop": "first_turn_only",
    "both_orders_together": "",
    "first_occurrence_alone": "first_time_only",
    "right_token_kept": "stride",
    "last_token_lost": "off_by_one",
    "always_256": "argument_ignored wrong_with_large_whole_numbers",
    "either_order_merged": "half_compared",
    "merged_in_place": "argument_changed",
    "pair_dropped": "not_kept",
    "token_after_a_merge_lost": "stride",
    "largest_among_equals": "ties",
    "first_met_among_equals": "ties",
    "pairs_that_stand_once": "case_missing doubled boundary",
    "letters_instead_of_bytes": "",
    "counted_once_and_for_all": "",
    "one_merge_too_many": "one_more",
    "table_of_merges": "other_type",
    "one_merge_too_few": "one_less",
    "numbered_after_the_largest": "",
    "merges_from_the_end": "loop_reversed",
    "stopped_where_a_pair_is_missing": "",
    "missing_pairs_take_no_number": "",
    "letters_for_bytes": "other_encoding letters_for_bytes",
    "learnt_anew_from_the_text": "",
    "numbers_from_257": "off_by_one",
    "last_merge_forgotten": "some_left_out",
    "errors_raised": "broken_bytes",
    "each_token_read_alone": "read_in_parts",
    "broken_bytes_left_out": "broken_bytes first_missing",
    "halves_exchanged": "sides_exchanged",
    "each_byte_a_letter": "other_encoding",
    "bytes_returned": "operation_missing",
    "spaces_between_pieces": "separated",
    "spaces_stripped": "spaces",
    "list_of_pieces": "other_type",
}
"""What a hint may go by where the bank is left out, for entries of the bank; empty: there is none."""


# count_pairs


@wrong_answer(step="count_pairs", named="some_left_out")
def starts_at_1_first_pair_missing(tokens):
    """Starts at 1, first pair missing."""
    counts = {}
    for i in range(1, len(tokens) - 1):
        pair = (tokens[i], tokens[i + 1])
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@wrong_answer(step="count_pairs", named="beyond_the_end")
def range_len_indexerror(tokens):
    """Range(len), IndexError."""
    counts = {}
    for i in range(len(tokens)):
        pair = (tokens[i], tokens[i + 1])
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@wrong_answer(step="count_pairs", named="counted_too_much not_repeatable")
def mutable_default_remembers(tokens, counts={}):
    """Mutable default remembers."""
    for p in zip(tokens, tokens[1:]):
        counts[p] = counts.get(p, 0) + 1
    return counts


@wrong_answer(step="count_pairs", named="parts_of_other_type")
def values_are_lists_of_places(tokens):
    """Values are lists of places."""
    c = {}
    for i in range(len(tokens) - 1):
        c.setdefault((tokens[i], tokens[i + 1]), []).append(i)
    return c


@wrong_answer(step="count_pairs", named="keys_of_other_type")
def three_in_a_row(tokens):
    """Three in a row."""
    c = {}
    for i in range(len(tokens) - 2):
        p = (tokens[i], tokens[i + 1], tokens[i + 2])
        c[p] = c.get(p, 0) + 1
    return c


@wrong_answer(step="count_pairs", named="once_only")
def set_of_tokens_first(tokens):
    """Set of tokens first."""
    c = {}
    tokens = list(dict.fromkeys(tokens))
    for p in zip(tokens, tokens[1:]):
        c[p] = c.get(p, 0) + 1
    return c


@wrong_answer(step="count_pairs", named="scaled")
def counts_twice(tokens):
    """Counts twice."""
    c = {}
    for i in range(len(tokens) - 1):
        p = (tokens[i], tokens[i + 1])
        c[p] = c.get(p, 0) + 1
        c[p] += 1
    return c


# merge_pair


@wrong_answer(step="merge_pair", named="half_compared")
def checks_only_the_left_token(tokens, pair, new):
    """Checks only the left token."""
    out = []
    i = 0
    while i < len(tokens):
        if tokens[i] == pair[0]:
            out.append(new)
            i += 2
        else:
            out.append(tokens[i])
            i += 1
    return out


@wrong_answer(step="merge_pair", named="rearranged")
def appends_new_at_the_end_only(tokens, pair, new):
    """Appends new at the end only."""
    out, n = [], 0
    i = 0
    while i < len(tokens):
        if tuple(tokens[i : i + 2]) == pair:
            n += 1
            i += 2
        else:
            out.append(tokens[i])
            i += 1
    return out + [new] * n


@wrong_answer(step="merge_pair", named="something_too_much")
def merges_again_after_merging_new_used(tokens, pair, new):
    """Merges again after merging (new used as left), repeat until stable? keeps both pair and new."""
    out = []
    i = 0
    while i < len(tokens):
        out.append(tokens[i])
        if tuple(tokens[i : i + 2]) == pair:
            out[-1] = new
            out.append(pair[1])
            i += 1
        i += 1
    return out


@wrong_answer(step="merge_pair", named="something_too_much")
def compares_with_the_tokens_to_the(tokens, pair, new):
    """Compares with the tokens to the left."""
    out = []
    for t in tokens:
        if out and (out[-1], t) == pair:
            out[-1] = new
            out.append(new)
        else:
            out.append(t)
    return out


@wrong_answer(step="merge_pair", named="nothing_returned")
def returns_none_prints(tokens, pair, new):
    """Returns None (prints)."""
    out, i = [], 0
    while i < len(tokens):
        if tuple(tokens[i : i + 2]) == pair:
            out.append(new)
            i += 2
        else:
            out.append(tokens[i])
            i += 1
    print(out)


# train


@wrong_answer(step="train", named="argument_ignored")
def always_the_same_new_number_256(text, merges):
    """Always the same new number 256."""
    tokens = list(text.encode("utf-8"))
    out = []
    for k in range(merges):
        c = count_pairs(tokens)
        if not c or max(c.values()) < 2:
            break
        best = min(c, key=lambda p: (-c[p], p))
        tokens = merge_pair(tokens, best, 256)
        out.append(best)
    return out


@wrong_answer(step="train", named="off_by_one")
def numbers_from_255(text, merges):
    """Numbers from 255."""
    tokens = list(text.encode("utf-8"))
    out = []
    for k in range(merges):
        c = count_pairs(tokens)
        if not c or max(c.values()) < 2:
            break
        best = min(c, key=lambda p: (-c[p], p))
        tokens = merge_pair(tokens, best, 255 + k)
        out.append(best)
    return out


@wrong_answer(step="train", named="parts_of_other_type")
def learns_pair_count(text, merges):
    """Learns (pair, count)."""
    tokens = list(text.encode())
    out = []
    for k in range(merges):
        c = count_pairs(tokens)
        if not c or max(c.values()) < 2:
            break
        best = min(c, key=lambda p: (-c[p], p))
        tokens = merge_pair(tokens, best, 256 + k)
        out.append((best, c[best]))
    return out


@wrong_answer(step="train", named="reversed")
def learnt_list_in_front(text, merges):
    """Learnt list in front."""
    tokens = list(text.encode())
    out = []
    for k in range(merges):
        c = count_pairs(tokens)
        if not c or max(c.values()) < 2:
            break
        best = min(c, key=lambda p: (-c[p], p))
        tokens = merge_pair(tokens, best, 256 + k)
        out.insert(0, best)
    return out


# encode


@wrong_answer(step="encode", named="nothing")
def merges_twice_number_256_2k(text, merges):
    """Merges twice number 256 + 2k."""
    tokens = list(text.encode())
    new = 256
    for pair in merges:
        tokens = merge_pair(tokens, pair, new)
        new += 2
    return tokens


@wrong_answer(step="encode", named="reversed")
def returns_pairs_of_bytes(text, merges):
    """Returns pairs of bytes."""
    tokens = list(text.encode())
    for k, pair in enumerate(merges):
        tokens = merge_pair(tokens, (pair[1], pair[0]), 256 + k)
    return tokens


# decode


@wrong_answer(step="decode")
def one_merge_deep(tokens, merges):
    """Opens every token once, and what comes out may be a merged one again."""
    raw = []
    for token in tokens:
        raw += merges[token - 256] if token > 255 else [token]
    return bytes(byte % 256 for byte in raw).decode("utf-8", "replace")


@wrong_answer(step="decode", named="argument_changed")
def pops_from_the_input_list(tokens, merges):
    """Pops from the input list."""
    out = []
    while tokens:
        t = tokens.pop(0)
        if t >= 256:
            a, b = merges[t - 256]
            tokens.insert(0, b)
            tokens.insert(0, a)
        else:
            out.append(t)
    return bytes(out).decode("utf-8", errors="replace")


@wrong_answer(step="decode", named="reversed")
def reversed_text(tokens, merges):
    """Reversed text."""
    pieces = [bytes([b]) for b in range(256)]
    for a, b in merges:
        pieces.append(pieces[a] + pieces[b])
    return b"".join(pieces[t] for t in reversed(tokens)).decode("utf-8", errors="replace")


@wrong_answer(step="decode", named="broken_bytes_spelled_out broken_bytes")
def backslashreplace(tokens, merges):
    """Backslashreplace."""
    pieces = [bytes([b]) for b in range(256)]
    for a, b in merges:
        pieces.append(pieces[a] + pieces[b])
    return b"".join(pieces[t] for t in tokens).decode("utf-8", errors="backslashreplace")


@wrong_answer(step="decode", named="not_added")
def only_left_part_of_a_pair(tokens, merges):
    """Only left part of a pair."""
    pieces = [bytes([b]) for b in range(256)]
    for a, b in merges:
        pieces.append(pieces[a])
    return b"".join(pieces[t] for t in tokens).decode("utf-8", errors="replace")


@wrong_answer(step="train", named="text_tidied")
def small_letters_without_ends(text, merges):
    """lower and strip together."""
    tokens, learned = list(text.lower().strip().encode()), []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if not counts or max(counts.values()) < 2:
            break
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        learned.append(best)
        tokens = merge_pair(tokens, best, new)
    return learned


@wrong_answer(step="encode", named="spaces spaces_made_one_before_merging")
def single_spaces(text, merges):
    """Every run of spaces and line ends becomes one space."""
    tokens = list(" ".join(text.split()).encode())
    for new, pair in enumerate(merges, 256):
        tokens = merge_pair(tokens, pair, new)
    return tokens
