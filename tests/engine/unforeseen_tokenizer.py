"""Wrong answers to `tokenizer` as students write them, made without a look at its bank.

The docstring says what is wrong; ``named`` as in `unforeseen`.
"""


@wrong_answer(step="count_pairs", named="steps_of_two loop_in_steps")
def counts_every_second_place_only_non(tokens):
    """Counts every second place only (non-overlapping)."""
    counts = {}
    for i in range(0, len(tokens) - 1, 2):
        pair = (tokens[i], tokens[i + 1])
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@wrong_answer(step="count_pairs", named="last_pair_forgotten some_left_out")
def range_len_2_last_pair_missing(tokens):
    """Range(len - 2), last pair missing."""
    counts = {}
    for i in range(len(tokens) - 2):
        pair = (tokens[i], tokens[i + 1])
        counts[pair] = counts.get(pair, 0) + 1
    return counts


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


@wrong_answer(step="count_pairs", named="one_less_than_met one_less")
def starts_counts_at_0(tokens):
    """Starts counts at 0."""
    counts = {}
    for a, b in zip(tokens, tokens[1:]):
        if (a, b) not in counts:
            counts[(a, b)] = 0
        else:
            counts[(a, b)] += 1
    return counts


@wrong_answer(step="count_pairs", named="equal_neighbours_left_out something_missing")
def skips_pairs_with_equal_tokens(tokens):
    """Skips pairs with equal tokens."""
    counts = {}
    for a, b in zip(tokens, tokens[1:]):
        if a != b:
            counts[(a, b)] = counts.get((a, b), 0) + 1
    return counts


@wrong_answer(step="count_pairs", named="tokens_far_apart counted_too_much")
def all_combinations_not_only_neighbours(tokens):
    """All combinations, not only neighbours."""
    counts = {}
    for i in range(len(tokens)):
        for j in range(i + 1, len(tokens)):
            p = (tokens[i], tokens[j])
            counts[p] = counts.get(p, 0) + 1
    return counts


@wrong_answer(step="count_pairs", named="ends_joined counted_too_much")
def wraps_around(tokens):
    """Wraps around."""
    counts = {}
    for i in range(len(tokens)):
        p = (tokens[i - 1], tokens[i])
        counts[p] = counts.get(p, 0) + 1
    return counts


@wrong_answer(step="count_pairs", named="keys_as_text keys_of_other_type")
def keys_as_strings_a_b(tokens):
    """Keys as strings "a b"."""
    counts = {}
    for a, b in zip(tokens, tokens[1:]):
        counts[f"{a} {b}"] = counts.get(f"{a} {b}", 0) + 1
    return counts


@wrong_answer(step="count_pairs", named="counted_too_much not_repeatable")
def mutable_default_remembers(tokens, counts={}):
    """Mutable default remembers."""
    for p in zip(tokens, tokens[1:]):
        counts[p] = counts.get(p, 0) + 1
    return counts


@wrong_answer(step="count_pairs", named="frequent_pairs_alone something_missing")
def only_pairs_that_occur_at_least(tokens):
    """Only pairs that occur at least twice."""
    counts = {}
    for p in zip(tokens, tokens[1:]):
        counts[p] = counts.get(p, 0) + 1
    return {p: c for p, c in counts.items() if c > 1}


@wrong_answer(step="count_pairs", named="list_of_counts other_type")
def returns_sorted_list_of_items(tokens):
    """Returns sorted list of items."""
    counts = {}
    for p in zip(tokens, tokens[1:]):
        counts[p] = counts.get(p, 0) + 1
    return sorted(counts.items())


@wrong_answer(step="count_pairs", named="shares_of_all_pairs scaled_somehow")
def returns_relative_frequencies(tokens):
    """Returns relative frequencies."""
    counts = {}
    for p in zip(tokens, tokens[1:]):
        counts[p] = counts.get(p, 0) + 1
    total = sum(counts.values())
    return {p: c / total for p, c in counts.items()}


@wrong_answer(step="count_pairs", named="returned_within_the_loop first_turn_only")
def return_in_the_loop(tokens):
    """Return in the loop."""
    counts = {}
    for p in zip(tokens, tokens[1:]):
        counts[p] = counts.get(p, 0) + 1
        return counts
    return counts


@wrong_answer(step="merge_pair", named="first_occurrence_alone first_time_only")
def only_first_occurrence(tokens, pair, new):
    """Only first occurrence."""
    out = list(tokens)
    for i in range(len(out) - 1):
        if (out[i], out[i + 1]) == pair:
            out[i : i + 2] = [new]
            break
    return out


@wrong_answer(step="merge_pair", named="right_token_kept stride")
def does_not_skip_the_second_token(tokens, pair, new):
    """Does not skip the second token."""
    out = []
    for i in range(len(tokens)):
        if tuple(tokens[i : i + 2]) == pair:
            out.append(new)
        else:
            out.append(tokens[i])
    return out


@wrong_answer(step="merge_pair", named="last_token_lost off_by_one")
def last_token_lost(tokens, pair, new):
    """Last token lost."""
    out = []
    i = 0
    while i < len(tokens) - 1:
        if (tokens[i], tokens[i + 1]) == pair:
            out.append(new)
            i += 2
        else:
            out.append(tokens[i])
            i += 1
    return out


@wrong_answer(step="merge_pair", named="always_256 argument_ignored")
def new_hard_wired_256(tokens, pair, new):
    """New hard-wired 256."""
    out = []
    i = 0
    while i < len(tokens):
        if tuple(tokens[i : i + 2]) == pair:
            out.append(256)
            i += 2
        else:
            out.append(tokens[i])
            i += 1
    return out


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


@wrong_answer(step="merge_pair", named="either_order_merged half_compared")
def either_order(tokens, pair, new):
    """Either order."""
    out = []
    i = 0
    while i < len(tokens):
        if set(tokens[i : i + 2]) == set(pair) and len(tokens[i : i + 2]) == 2:
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


@wrong_answer(step="merge_pair", named="merged_in_place argument_changed")
def in_place_deletion_and_returns_tokens(tokens, pair, new):
    """In place deletion and returns tokens."""
    i = 0
    while i < len(tokens) - 1:
        if (tokens[i], tokens[i + 1]) == pair:
            tokens[i] = new
            del tokens[i + 1]
        i += 1
    return tokens


@wrong_answer(step="merge_pair", named="pair_dropped not_kept")
def drops_the_pair_puts_nothing(tokens, pair, new):
    """Drops the pair (puts nothing)."""
    out = []
    i = 0
    while i < len(tokens):
        if tuple(tokens[i : i + 2]) == pair:
            i += 2
        else:
            out.append(tokens[i])
            i += 1
    return out


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


@wrong_answer(step="train", named="largest_among_equals ties")
def ties_by_larger_numbers(text, merges):
    """Ties by larger numbers."""
    tokens = list(text.encode("utf-8"))
    out = []
    for k in range(merges):
        c = count_pairs(tokens)
        if not c or max(c.values()) < 2:
            break
        best = max(c, key=lambda p: (c[p], p))
        tokens = merge_pair(tokens, best, 256 + k)
        out.append(best)
    return out


@wrong_answer(step="train", named="first_met_among_equals ties")
def ties_by_first_seen(text, merges):
    """Ties by first seen."""
    tokens = list(text.encode("utf-8"))
    out = []
    for k in range(merges):
        c = count_pairs(tokens)
        if not c or max(c.values()) < 2:
            break
        best = max(c, key=c.get)
        tokens = merge_pair(tokens, best, 256 + k)
        out.append(best)
    return out


@wrong_answer(step="train", named="pairs_that_stand_once case_missing doubled")
def no_early_stop(text, merges):
    """No early stop."""
    tokens = list(text.encode("utf-8"))
    out = []
    for k in range(merges):
        c = count_pairs(tokens)
        if not c:
            break
        best = min(c, key=lambda p: (-c[p], p))
        tokens = merge_pair(tokens, best, 256 + k)
        out.append(best)
    return out


@wrong_answer(step="train", named="letters_instead_of_bytes letters_for_bytes")
def starts_from_ord_of_letters_not(text, merges):
    """Starts from ord of letters, not bytes."""
    tokens = [ord(ch) for ch in text]
    out = []
    for k in range(merges):
        c = count_pairs(tokens)
        if not c or max(c.values()) < 2:
            break
        best = min(c, key=lambda p: (-c[p], p))
        tokens = merge_pair(tokens, best, 256 + k)
        out.append(best)
    return out


@wrong_answer(step="train", named="counted_once_and_for_all")
def counts_once_takes_top_pairs(text, merges):
    """Counts once, takes top pairs."""
    tokens = list(text.encode("utf-8"))
    c = count_pairs(tokens)
    return [p for p in sorted(c, key=lambda p: (-c[p], p)) if c[p] > 1][:merges]


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


@wrong_answer(step="train", named="one_merge_too_many one_more")
def one_merge_too_many(text, merges):
    """One merge too many."""
    tokens = list(text.encode("utf-8"))
    out = []
    for k in range(merges + 1):
        c = count_pairs(tokens)
        if not c or max(c.values()) < 2:
            break
        best = min(c, key=lambda p: (-c[p], p))
        tokens = merge_pair(tokens, best, 256 + k)
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


@wrong_answer(step="train", named="table_of_merges other_type")
def returns_dict_pair_number(text, merges):
    """Returns dict pair -> number."""
    tokens = list(text.encode("utf-8"))
    out = {}
    for k in range(merges):
        c = count_pairs(tokens)
        if not c or max(c.values()) < 2:
            break
        best = min(c, key=lambda p: (-c[p], p))
        tokens = merge_pair(tokens, best, 256 + k)
        out[best] = 256 + k
    return out


@wrong_answer(step="encode", named="merges_from_the_end loop_reversed")
def merges_applied_in_reverse_order(text, merges):
    """Merges applied in reverse order."""
    tokens = list(text.encode("utf-8"))
    for k in range(len(merges) - 1, -1, -1):
        tokens = merge_pair(tokens, merges[k], 256 + k)
    return tokens


@wrong_answer(step="encode", named="stopped_where_a_pair_is_missing")
def breaks_at_first_missing_pair(text, merges):
    """Breaks at first missing pair."""
    tokens = list(text.encode("utf-8"))
    for k, pair in enumerate(merges):
        if pair not in count_pairs(tokens):
            break
        tokens = merge_pair(tokens, pair, 256 + k)
    return tokens


@wrong_answer(step="encode", named="missing_pairs_take_no_number")
def number_counts_only_merges_that_were(text, merges):
    """Number counts only merges that were applied."""
    tokens = list(text.encode("utf-8"))
    new = 256
    for pair in merges:
        if pair in count_pairs(tokens):
            tokens = merge_pair(tokens, pair, new)
            new += 1
    return tokens


@wrong_answer(step="encode", named="letters_for_bytes other_encoding")
def latin_1(text, merges):
    """Latin-1."""
    tokens = list(text.encode("latin-1", errors="replace"))
    for k, pair in enumerate(merges):
        tokens = merge_pair(tokens, pair, 256 + k)
    return tokens


@wrong_answer(step="encode", named="learnt_anew_from_the_text")
def learns_its_own_merges_from_the(text, merges):
    """Learns its own merges from the text."""
    tokens = list(text.encode("utf-8"))
    for k, pair in enumerate(train(text, len(merges))):
        tokens = merge_pair(tokens, pair, 256 + k)
    return tokens


@wrong_answer(step="encode", named="numbers_from_257 off_by_one")
def starts_at_257(text, merges):
    """Starts at 257."""
    tokens = list(text.encode("utf-8"))
    for k, pair in enumerate(merges, 257):
        tokens = merge_pair(tokens, pair, k)
    return tokens


@wrong_answer(step="decode", named="errors_raised broken_bytes")
def strict_errors(tokens, merges):
    """Strict errors."""
    vocab = {i: bytes([i]) for i in range(256)}
    for i, (a, b) in enumerate(merges):
        vocab[256 + i] = vocab[a] + vocab[b]
    return b"".join(vocab[t] for t in tokens).decode("utf-8")


@wrong_answer(step="decode", named="each_token_read_alone read_in_parts")
def each_token_decoded_alone(tokens, merges):
    """Each token decoded alone."""
    vocab = {i: bytes([i]) for i in range(256)}
    for i, (a, b) in enumerate(merges):
        vocab[256 + i] = vocab[a] + vocab[b]
    return "".join(vocab[t].decode("utf-8", errors="replace") for t in tokens)


@wrong_answer(step="decode", named="broken_bytes_left_out broken_bytes")
def errors_ignore(tokens, merges):
    """Errors ignore."""
    vocab = {i: bytes([i]) for i in range(256)}
    for i, (a, b) in enumerate(merges):
        vocab[256 + i] = vocab[a] + vocab[b]
    return b"".join(vocab[t] for t in tokens).decode("utf-8", errors="ignore")


@wrong_answer(step="decode", named="halves_exchanged sides_exchanged")
def right_before_left(tokens, merges):
    """Right before left."""
    vocab = {i: bytes([i]) for i in range(256)}
    for i, (a, b) in enumerate(merges):
        vocab[256 + i] = vocab[b] + vocab[a]
    return b"".join(vocab[t] for t in tokens).decode("utf-8", errors="replace")


@wrong_answer(step="decode", named="each_byte_a_letter other_encoding")
def chr_of_bytes(tokens, merges):
    """Chr of bytes."""
    vocab = {i: [i] for i in range(256)}
    for i, (a, b) in enumerate(merges):
        vocab[256 + i] = vocab[a] + vocab[b]
    return "".join(chr(b) for t in tokens for b in vocab[t])


@wrong_answer(step="decode", named="bytes_returned operation_missing")
def returns_bytes(tokens, merges):
    """Returns bytes."""
    vocab = {i: bytes([i]) for i in range(256)}
    for i, (a, b) in enumerate(merges):
        vocab[256 + i] = vocab[a] + vocab[b]
    return b"".join(vocab[t] for t in tokens)


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


@wrong_answer(step="decode", named="spaces_between_pieces separated")
def joins_tokens_with_spaces(tokens, merges):
    """Joins tokens with spaces."""
    vocab = {i: bytes([i]) for i in range(256)}
    for i, (a, b) in enumerate(merges):
        vocab[256 + i] = vocab[a] + vocab[b]
    return " ".join(vocab[t].decode("utf-8", errors="replace") for t in tokens)


@wrong_answer(step="decode", named="spaces_stripped spaces")
def strips_the_text_at_the_end(tokens, merges):
    """Strips the text at the end."""
    vocab = {i: bytes([i]) for i in range(256)}
    for i, (a, b) in enumerate(merges):
        vocab[256 + i] = vocab[a] + vocab[b]
    return b"".join(vocab[t] for t in tokens).decode("utf-8", errors="replace").strip()


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


@wrong_answer(step="count_pairs", named="both_orders_together")
def unordered_pairs_sorted(tokens):
    """Unordered pairs, sorted."""
    c = {}
    for a, b in zip(tokens, tokens[1:]):
        p = (min(a, b), max(a, b))
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


@wrong_answer(step="merge_pair", named="token_after_a_merge_lost stride")
def jumps_three(tokens, pair, new):
    """Jumps three."""
    out, i = [], 0
    while i < len(tokens):
        if tuple(tokens[i : i + 2]) == pair:
            out.append(new)
            i += 3
        else:
            out.append(tokens[i])
            i += 1
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


@wrong_answer(step="train", named="one_merge_too_few one_less")
def range_merges_1(text, merges):
    """Range(merges - 1)."""
    tokens = list(text.encode())
    out = []
    for k in range(merges - 1):
        c = count_pairs(tokens)
        if not c or max(c.values()) < 2:
            break
        best = min(c, key=lambda p: (-c[p], p))
        tokens = merge_pair(tokens, best, 256 + k)
        out.append(best)
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


@wrong_answer(step="train", named="numbered_after_the_largest")
def new_tokens_numbered_from_len_set(text, merges):
    """New tokens numbered from len(set)."""
    tokens = list(text.encode())
    out = []
    for k in range(merges):
        c = count_pairs(tokens)
        if not c or max(c.values()) < 2:
            break
        best = min(c, key=lambda p: (-c[p], p))
        tokens = merge_pair(tokens, best, max(tokens) + 1)
        out.append(best)
    return out


@wrong_answer(step="encode", named="nothing")
def merges_twice_number_256_2k(text, merges):
    """Merges twice number 256 + 2k."""
    tokens = list(text.encode())
    new = 256
    for pair in merges:
        tokens = merge_pair(tokens, pair, new)
        new += 2
    return tokens


@wrong_answer(step="encode", named="last_merge_forgotten some_left_out")
def last_merge_left_out(text, merges):
    """Last merge left out."""
    tokens = list(text.encode())
    for k, pair in enumerate(merges[:-1]):
        tokens = merge_pair(tokens, pair, 256 + k)
    return tokens


@wrong_answer(step="encode", named="reversed")
def returns_pairs_of_bytes(text, merges):
    """Returns pairs of bytes."""
    tokens = list(text.encode())
    for k, pair in enumerate(merges):
        tokens = merge_pair(tokens, (pair[1], pair[0]), 256 + k)
    return tokens


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


@wrong_answer(step="decode", named="list_of_pieces other_type")
def returns_list_of_texts(tokens, merges):
    """Returns list of texts."""
    pieces = [bytes([b]) for b in range(256)]
    for a, b in merges:
        pieces.append(pieces[a] + pieces[b])
    return [pieces[t].decode("utf-8", errors="replace") for t in tokens]
