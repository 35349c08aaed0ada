"""What people get wrong about byte-pair encoding, as functions, each with the question that helps.

Every function here is a wrong answer to one step. Its decorator names the step and the first check that must
fail; its docstring is the hint that a student reads. A hint says what shows, what to print, and asks one question;
it never holds the repair. Names are for teachers: no student sees them. Entries of one `family` answer alike, or are
helped by the same question.

An entry stands by itself, as if handed in: it uses the functions of earlier steps, which are right.
`autograder prove tokenizer` holds every entry, and every check, to its promise.
"""

from autograder.exercises.misconceptions import misconception

UNCLAIMED = {
    "count_pairs-short_lists": "it asks with other lists what no_neighbours asks before it",
    "merge_pair-nothing_to_merge": "it asks with other lists what without_the_pair asks before it",
    "encode-short_texts": "it asks with other texts what no_text_or_no_merges asks before it",
    "decode-nothing": "it asks with other tokens what no_tokens asks before it",
}

# Mistakes that answer a visible check alike have one question there, which helps with each.
ALIKE = {
    "other_letters_left_out, letters_instead_of_bytes": "English texts work, other characters do not. Print the list that "
    "you start from for the text é: what happened to that character, and how many bytes does it have?",
    "steps_of_two, frequent_pairs_alone": "Pairs are missing. Print the pairs that your loop visits in the first check, "
    "and your counts at its end: which line loses the first missing one?",
    "numbered_from_257, always_the_same_number": "Print the tokens after each merge of the first check: which numbers are "
    "free after the 256 bytes 0 to 255, and after your first merge?",
    "twice_is_not_enough, one_merge_too_few": "You learn one pair too few. Print, each time your loop begins, how many "
    "merges you have, and how often the best pair occurs: which of the two ends it?",
    "first_met_among_equals, largest_among_equals, right_token_compared_first, compared_as_text": "Several counts are "
    "equal. Print the best pairs of abcabcab before the second merge: what decides among them in your code?",
    "each_token_read_alone, pieces_kept_as_text, read_as_ascii": "English texts work, other characters break. Print what you "
    "make of 195, and of 195 169: how many bytes does this character have, and which of them do you read together?",
}



# 1. count_pairs


@misconception(step="count_pairs", caught_by="count_pairs-by_hand")
def both_orders_together(tokens):
    """You count 1 2 and 2 1 together. Print your keys in the first check: does the order in a pair matter?"""
    counts = {}
    for pair in zip(tokens, tokens[1:]):
        pair = tuple(sorted(pair))
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-by_hand")
def steps_of_two(tokens):
    """Only every other place is counted. Print the pairs that your loop visits in the first check: which pair begins at place 1?"""
    counts = {}
    for pair in zip(tokens[::2], tokens[1::2]):
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-by_hand")
def last_pair_forgotten(tokens):
    """The last pair is missing. Print the places that your loop visits for 1 2 1 2 3: how many pairs have five tokens?"""
    counts = {}
    for place in range(len(tokens) - 2):
        pair = (tokens[place], tokens[place + 1])
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-by_hand")
def ends_joined(tokens):
    """There is one pair too many. Print your counts in the first check: are the last token and the first neighbours?"""
    counts = {}
    for place in range(len(tokens)):
        pair = (tokens[place - 1], tokens[place])
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-by_hand")
def every_pair_once(tokens):
    """All your counts are 1. Print them in the first check: what happens when you meet a pair for the second time?"""
    counts = {}
    for pair in zip(tokens, tokens[1:]):
        counts[pair] = 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-by_hand")
def one_less_than_met(tokens):
    """Every count is one too small. Print your counts in the first check: which count does a pair get the first time?"""
    counts = {}
    for pair in zip(tokens, tokens[1:]):
        counts[pair] = counts[pair] + 1 if pair in counts else 0
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-by_hand")
def tokens_far_apart(tokens):
    """You count far too many pairs. Print your keys in the first check: must the two tokens of a pair be neighbours?"""
    counts = {}
    for place, left in enumerate(tokens):
        for right in tokens[place + 1 :]:
            counts[left, right] = counts.get((left, right), 0) + 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-by_hand")
def single_tokens_counted(tokens):
    """Your keys are single tokens. Print one of them: what should a key of your dictionary hold?"""
    counts = {}
    for token in tokens:
        counts[token] = counts.get(token, 0) + 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-by_hand")
def keys_as_text(tokens):
    """Your counts look right, but their keys are strings. Print the type of one key: what does the docstring say a key is?"""
    counts = {}
    for left, right in zip(tokens, tokens[1:]):
        key = f"{left} {right}"
        counts[key] = counts.get(key, 0) + 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-by_hand")
def list_of_counts(tokens):
    """Your counts are in a list. Print the type of your result: how does a caller look up one pair in it?"""
    counts = {}
    for pair in zip(tokens, tokens[1:]):
        counts[pair] = counts.get(pair, 0) + 1
    return sorted(counts.items())


@misconception(step="count_pairs", caught_by="count_pairs-by_hand")
def frequent_pairs_alone(tokens):
    """Pairs that occur once are missing. Print your counts in the first check: which pairs are not keys, according to the docstring?"""
    counts = {}
    for pair in zip(tokens, tokens[1:]):
        counts[pair] = counts.get(pair, 0) + 1
    return {pair: count for pair, count in counts.items() if count > 1}


@misconception(step="count_pairs", caught_by="count_pairs-by_hand")
def shares_of_all_pairs(tokens):
    """You return fractions of the total. Print your counts in the first check: are they whole numbers?"""
    counts = {}
    for pair in zip(tokens, tokens[1:]):
        counts[pair] = counts.get(pair, 0) + 1 / (len(tokens) - 1)
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-by_hand")
def returned_within_the_loop(tokens):
    """You stop after one pair. Print your counts in the first check: how far is your return indented?"""
    counts = {}
    for pair in zip(tokens, tokens[1:]):
        counts[pair] = counts.get(pair, 0) + 1
        return counts
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-overlaps")
def no_overlaps(tokens):
    """In a run of equal tokens you count too few pairs. Print the places at which you count in 7 7 7: can a seven belong to two pairs?"""
    counts = {}
    place = 0
    while place < len(tokens) - 1:
        pair = (tokens[place], tokens[place + 1])
        counts[pair] = counts.get(pair, 0) + 1
        place += 2 if tokens[place : place + 3] == [tokens[place]] * 3 else 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-overlaps")
def equal_neighbours_left_out(tokens):
    """You never count two equal neighbours. Print your counts of 7 7 7: may both halves of a pair be the same?"""
    counts = {}
    for left, right in zip(tokens, tokens[1:]):
        if left != right:
            counts[left, right] = counts.get((left, right), 0) + 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-drawn")
def bytes_alone(tokens):
    """You count small tokens correctly, but not large ones. Print your counts of 300 300 300: where does your function assume that a token is a byte?"""
    counts = {}
    for left, right in zip(tokens, tokens[1:]):
        if left < 256 and right < 256:
            counts[left, right] = counts.get((left, right), 0) + 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-drawn")
def larger_token_through_a_table(tokens):
    """Large tokens break your function. Print its counts of 300 300 300: how many rows has your table?"""
    table = [[0] * 256 for _ in range(256)]
    for left, right in zip(tokens, tokens[1:]):
        table[left][right] += 1
    return {(left, right): table[left][right] for left in range(256) for right in range(256) if table[left][right]}


@misconception(step="count_pairs", caught_by="count_pairs-drawn")
def zero_is_no_token(tokens):
    """You never count one of the tokens. Print your counts of 0 1 0 1: what does Python take 0 for in a condition?"""
    counts = {}
    for left, right in zip(tokens, tokens[1:]):
        if left and right:
            counts[left, right] = counts.get((left, right), 0) + 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-drawn")
def pair_as_one_number(tokens):
    """Huge tokens come back as different numbers. Print the key of (1, 2000000) and the pair that you make of it: for which tokens can two pairs have one key?"""
    counts = {}
    for left, right in zip(tokens, tokens[1:]):
        key = 1000000 * left + right
        counts[key] = counts.get(key, 0) + 1
    return {divmod(key, 1000000): count for key, count in counts.items()}


@misconception(step="count_pairs", caught_by="count_pairs-drawn")
def tokens_of_32_bits(tokens):
    """Huge tokens come back as different numbers. Print your array for the tokens 2**31 and 2**32 + 1: which numbers fit into its dtype?"""
    counts, array = {}, np.array(tokens, dtype=np.int64).astype(np.int32).tolist()
    for pair in zip(array, array[1:]):
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-drawn")
def counts_of_one_byte(tokens):
    """A very frequent pair has a small count. Print your count for 300 * [7]: how large can it become?"""
    counts = {}
    for pair in zip(tokens, tokens[1:]):
        counts[pair] = (counts.get(pair, 0) + 1) % 256
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-drawn")
def a_call_for_every_token(tokens):
    """Long lists break your function. Print what it does with 2000 * [7]: how deep does the recursion go?"""

    def counted(start):
        if start >= len(tokens) - 1:
            return {}
        counts, pair = counted(start + 1), (tokens[start], tokens[start + 1])
        counts[pair] = counts.get(pair, 0) + 1
        return counts

    return counted(0)



@misconception(step="count_pairs", caught_by="count_pairs-no_neighbours")
def first_token_taken_for_granted(tokens):
    """An empty list breaks your function. Print what it does with []: which of its lines needs a first token?"""
    counts = {}
    left = tokens[0]
    for right in tokens[1:]:
        counts[left, right] = counts.get((left, right), 0) + 1
        left = right
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-no_neighbours")
def nothing_for_short_lists(tokens):
    """Short lists get None. Print your result for []: what does the docstring say it is then?"""
    if len(tokens) < 2:
        return None
    counts = {}
    for pair in zip(tokens, tokens[1:]):
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-tokens_unchanged")
def tokens_used_up(tokens):
    """Your counts are right, but the list has changed. Print tokens after a call: which of your lines removes something?"""
    counts = {}
    while len(tokens) > 1:
        pair = (tokens.pop(0), tokens[0])
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-tokens_unchanged")
def end_marked_in_the_list(tokens):
    """Your counts are right, but the list has grown. Print tokens after a call: which line adds the last one?"""
    tokens.append(-1)
    counts = {}
    place = 0
    while tokens[place] != -1 and tokens[place + 1] != -1:
        pair = (tokens[place], tokens[place + 1])
        counts[pair] = counts.get(pair, 0) + 1
        place += 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-overlaps")
def counted_in_a_text(tokens):
    """You turn the tokens into a string and count there. Print that string for 7 7 7 and for 12 1 2, and your counts: which pairs are in the string but not in the list, and which does count miss?"""
    text = " ".join(map(str, tokens))
    return {(left, right): text.count(f"{left} {right}") for left, right in zip(tokens, tokens[1:])}


@misconception(step="count_pairs", caught_by="count_pairs-drawn")
def tokens_cut_to_bytes(tokens):
    """You count bytes correctly, but not larger tokens. Print your counts for 300 301: which numbers fit into the type in which you store tokens?"""
    counts = {}
    for left, right in zip(tokens, tokens[1:]):
        pair = (left % 256, right % 256)
        counts[pair] = counts.get(pair, 0) + 1
    return counts


@misconception(step="count_pairs", caught_by="count_pairs-drawn")
def two_tokens_in_one_number(tokens):
    """Small tokens are right, those of 1000 and more are not. Print the number that you make of the pair (1, 1000), and of (2, 0): can you tell them apart?"""
    counts = {}
    for left, right in zip(tokens, tokens[1:]):
        key = left * 1000 + right
        counts[key] = counts.get(key, 0) + 1
    return {divmod(key, 1000): number for key, number in counts.items()}


# 2. merge_pair


@misconception(step="merge_pair", caught_by="merge_pair-by_hand")
def either_order_merged(tokens, pair, new):
    """You merge 2 1 as well. Print your result in the first check: is that the same pair as 1 2?"""
    merged = []
    place = 0
    while place < len(tokens):
        if tuple(tokens[place : place + 2]) in (tuple(pair), tuple(pair)[::-1]):
            merged.append(new)
            place += 2
        else:
            merged.append(tokens[place])
            place += 1
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-left_to_right")
def pair_after_an_overlap_lost(tokens, pair, new):
    """The pair after two overlapping ones is never merged. Print your result for 7 7 7 7: how many pairs of 7 fit in there without sharing a token?"""
    places = [i for i in range(len(tokens) - 1) if (tokens[i], tokens[i + 1]) == tuple(pair)]
    chosen = [p for k, p in enumerate(places) if k == 0 or p - places[k - 1] > 1]
    out, i = [], 0
    while i < len(tokens):
        if i in chosen:
            out.append(new)
            i += 2
        else:
            out.append(tokens[i])
            i += 1
    return out


@misconception(step="merge_pair", caught_by="merge_pair-by_hand")
def first_occurrence_alone(tokens, pair, new):
    """Only the first occurrence is merged. Print your result in the first check: what happens after your first merge?"""
    for place in range(len(tokens) - 1):
        if tuple(tokens[place : place + 2]) == tuple(pair):
            return [*tokens[:place], new, *tokens[place + 2 :]]
    return list(tokens)


@misconception(step="merge_pair", caught_by="merge_pair-by_hand")
def pair_kept_beside_the_new_one(tokens, pair, new):
    """Your list has grown. Print it in the first check: what should happen to the two tokens when you add the new one?"""
    merged = []
    for place, token in enumerate(tokens):
        merged.append(token)
        if place and (tokens[place - 1], token) == tuple(pair):
            merged.append(new)
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-by_hand")
def right_token_kept(tokens, pair, new):
    """The right half of each pair is still there. Print your result in the first check: how many tokens does one merge take away?"""
    merged = []
    for place, token in enumerate(tokens):
        is_left = tuple(tokens[place : place + 2]) == tuple(pair)
        merged.append(new if is_left else token)
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-by_hand")
def token_after_a_merge_lost(tokens, pair, new):
    """You lose a token after each merge. Print your position before and after a merge: by how much should it grow?"""
    merged = []
    place = 0
    while place < len(tokens):
        if tuple(tokens[place : place + 2]) == tuple(pair):
            merged.append(new)
            place += 3
        else:
            merged.append(tokens[place])
            place += 1
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-by_hand")
def even_places_alone(tokens, pair, new):
    """You miss a pair that begins at an odd position. Print the positions you look at in the first check: where does the first 1 2 begin?"""
    merged = []
    for place in range(0, len(tokens), 2):
        two = tokens[place : place + 2]
        merged.extend([new] if tuple(two) == tuple(pair) else two)
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-by_hand")
def changed_and_not_returned(tokens, pair, new):
    """You merge, but do not return the result. Print what your function returns: where does the merged list go?"""
    place = 0
    while place < len(tokens) - 1:
        if (tokens[place], tokens[place + 1]) == tuple(pair):
            tokens[place : place + 2] = [new]
        place += 1


@misconception(step="merge_pair", caught_by="merge_pair-by_hand")
def both_tokens_replaced(tokens, pair, new):
    """Each pair becomes two new tokens. Print your result in the first check: how long should it be?"""
    merged = list(tokens)
    for place in range(len(tokens) - 1):
        if (tokens[place], tokens[place + 1]) == tuple(pair):
            merged[place] = merged[place + 1] = new
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-by_hand")
def each_half_replaced(tokens, pair, new):
    """You replace tokens that are not part of a pair. Print your result in the first check: must left and right be neighbours?"""
    return [new if token in pair else token for token in tokens]


@misconception(step="merge_pair", caught_by="merge_pair-by_hand")
def pair_dropped(tokens, pair, new):
    """Your list does not hold the new token. Print it in the first check: what is in the place of the pair?"""
    merged = []
    place = 0
    while place < len(tokens):
        if tuple(tokens[place : place + 2]) == tuple(pair):
            place += 2
        else:
            merged.append(tokens[place])
            place += 1
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-left_to_right")
def right_to_left(tokens, pair, new):
    """You merge from the right. Print your result for 7 7 7: on which side is the single one?"""
    merged = []
    place = len(tokens) - 1
    while place >= 0:
        if place and (tokens[place - 1], tokens[place]) == tuple(pair):
            merged.insert(0, new)
            place -= 2
        else:
            merged.insert(0, tokens[place])
            place -= 1
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-left_to_right")
def token_used_twice(tokens, pair, new):
    """One seven belongs to two of your merges. Print your result for 7 7 7: how many sevens did you merge?"""
    merged = []
    for place, token in enumerate(tokens):
        if tuple(tokens[place : place + 2]) == tuple(pair):
            merged.append(new)
        elif not place or (tokens[place - 1], token) != tuple(pair):
            merged.append(token)
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-left_to_right")
def last_token_lost(tokens, pair, new):
    """You lose the last token if it is not in a pair. Print your result for 7 7 7: when does your loop end?"""
    merged = []
    place = 0
    while place < len(tokens) - 1:
        if (tokens[place], tokens[place + 1]) == tuple(pair):
            merged.append(new)
            place += 2
        else:
            merged.append(tokens[place])
            place += 1
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-left_to_right")
def second_of_two_occurrences_skipped(tokens, pair, new):
    """You merge only one of two neighbouring occurrences. Print your result for 7 7 7 7: at which position do you continue after a merge?"""
    merged = []
    place = 0
    while place < len(tokens):
        if tuple(tokens[place : place + 2]) == tuple(pair):
            merged.append(new)
            merged.extend(tokens[place + 2 : place + 3])
            place += 3
        else:
            merged.append(tokens[place])
            place += 1
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-drawn")
def always_256(tokens, pair, new):
    """The new token is always 256. Call your function with another new one and print the result: which of its arguments is never used?"""
    merged = []
    place = 0
    while place < len(tokens):
        if tuple(tokens[place : place + 2]) == tuple(pair):
            merged.append(256)
            place += 2
        else:
            merged.append(tokens[place])
            place += 1
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-without_the_pair")
def left_token_decides(tokens, pair, new):
    """You merge where only the left half fits. Print your result for 1 5 with the pair (1, 2): which two tokens do you compare?"""
    merged = []
    place = 0
    while place < len(tokens):
        if tokens[place] == pair[0] and place + 1 < len(tokens):
            merged.append(new)
            place += 2
        else:
            merged.append(tokens[place])
            place += 1
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-drawn")
def replaced_as_text(tokens, pair, new):
    """You also merge numbers that merely end like the pair. Print your result for 11 2 with the pair (1, 2): does a string say where a number begins?"""
    left, right = pair
    text = " ".join(map(str, tokens)) + " "
    return [int(number) for number in text.replace(f"{left} {right} ", f"{new} ").split()]


@misconception(step="merge_pair", caught_by="merge_pair-drawn")
def same_object_and_not_equal(tokens, pair, new):
    """You merge small tokens, but not large ones. Print 300 is int("300"): how do you test whether two numbers are equal?"""
    merged = []
    place = 0
    while place < len(tokens):
        here = tokens[place : place + 2]
        if len(here) == 2 and here[0] is pair[0] and here[1] is pair[1]:
            merged.append(new)
            place += 2
        else:
            merged.append(tokens[place])
            place += 1
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-drawn", family="merged_once_more")
def what_was_merged_merges_again(tokens, pair, new):
    """You merge a merged token again. Print your result for 7 9 9 with the pair (7, 9) and the new token 7: which tokens went into your last merge?"""
    merged = []
    for token in tokens:
        if merged and (merged[-1], token) == tuple(pair):
            merged[-1] = new
        else:
            merged.append(token)
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-drawn", family="merged_once_more")
def place_kept_after_a_merge(tokens, pair, new):
    """You merge a merged token again. Print your result for 7 9 9 with the pair (7, 9) and the new token 7: which position do you look at after the first merge?"""
    merged = list(tokens)
    place = 0
    while place < len(merged) - 1:
        if (merged[place], merged[place + 1]) == tuple(pair):
            merged[place : place + 2] = [new]
        else:
            place += 1
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-drawn", family="merged_once_more")
def from_the_start_after_each_merge(tokens, pair, new):
    """You merge a merged token again. Print your list after each merge for 7 7 9 with the pair (7, 9) and the new token 9: was the second pair in the original list?"""
    merged = list(tokens)
    place = 0
    while place < len(merged) - 1:
        if (merged[place], merged[place + 1]) == tuple(pair):
            merged[place : place + 2] = [new]
            place = 0
        else:
            place += 1
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-drawn", family="zeros_swept")
def zeros_swept_away(tokens, pair, new):
    """You lose one token wherever it occurs. Print your result for 0 5 0: what does Python take 0 for in a condition?"""
    swept = list(tokens)
    for place in range(len(swept) - 1):
        if (swept[place], swept[place + 1]) == tuple(pair):
            swept[place], swept[place + 1] = [new], None
    return [token[0] if isinstance(token, list) else token for token in swept if token]


@misconception(step="merge_pair", caught_by="merge_pair-drawn")
def zero_is_no_new_token(tokens, pair, new):
    """One new token never gets into your list. Print your result for 5 5 with the pair (5, 5) and the new token 0: what does Python take 0 for in a condition?"""
    new, merged, place = new or 256, [], 0
    while place < len(tokens):
        is_here = tuple(tokens[place : place + 2]) == tuple(pair)
        merged.append(new if is_here else tokens[place])
        place += 2 if is_here else 1
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-drawn")
def merged_as_letters(tokens, pair, new):
    """Some tokens are too large for your function. Print what it does with the token 1114112: how many characters does Unicode have?"""
    text = "".join(map(chr, tokens))
    return list(map(ord, text.replace(chr(pair[0]) + chr(pair[1]), chr(new))))


@misconception(step="merge_pair", caught_by="merge_pair-drawn")
def merged_in_32_bits(tokens, pair, new):
    """Huge tokens come back as different numbers. Print your result for the tokens 2**31 and 5: which numbers fit into the dtype of your array?"""
    merged, place = [], 0
    while place < len(tokens):
        is_here = tuple(tokens[place : place + 2]) == tuple(pair)
        merged.append(new if is_here else tokens[place])
        place += 2 if is_here else 1
    return np.array(merged, dtype=np.int64).astype(np.int32).tolist()


@misconception(step="merge_pair", caught_by="merge_pair-drawn")
def a_call_for_every_place(tokens, pair, new):
    """Long lists break your function. Print what it does with 2000 * [7]: how deep does the recursion go?"""

    def merged(place):
        if place >= len(tokens):
            return []
        is_here = tuple(tokens[place : place + 2]) == tuple(pair)
        return [new if is_here else tokens[place], *merged(place + 2 if is_here else place + 1)]

    return merged(0)



@misconception(step="merge_pair", caught_by="merge_pair-without_the_pair")
def first_token_taken_first(tokens, pair, new):
    """An empty list breaks your function. Print what it does with []: which of its lines needs a first token?"""
    merged = [tokens[0]]
    is_used = False
    for token in tokens[1:]:
        if not is_used and (merged[-1], token) == tuple(pair):
            merged[-1] = new
            is_used = True
        else:
            merged.append(token)
            is_used = False
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-without_the_pair")
def left_token_must_be_there(tokens, pair, new):
    """A list without the left half breaks your function. Print what it does with 3 4: what does it look for before it merges?"""
    start = tokens.index(pair[0])
    merged = list(tokens[:start])
    place = start
    while place < len(tokens):
        if tuple(tokens[place : place + 2]) == tuple(pair):
            merged.append(new)
            place += 2
        else:
            merged.append(tokens[place])
            place += 1
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-tokens_unchanged")
def merged_in_place(tokens, pair, new):
    """Your result is right, but the original list is gone. Print tokens after a call: which list do you shorten?"""
    place = 0
    while place < len(tokens) - 1:
        if (tokens[place], tokens[place + 1]) == tuple(pair):
            tokens[place : place + 2] = [new]
        place += 1
    return tokens


@misconception(step="merge_pair", caught_by="merge_pair-tokens_unchanged")
def marked_in_place(tokens, pair, new):
    """Your result is right, but the original list has changed. Print tokens after a call: which of your lines writes into it?"""
    merged = []
    for place in range(len(tokens)):
        if tokens[place] is None:
            continue
        if tuple(tokens[place : place + 2]) == tuple(pair):
            merged.append(new)
            tokens[place + 1] = None
        else:
            merged.append(tokens[place])
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-drawn", family="merged_once_more")
def merged_until_nothing_is_left(tokens, pair, new):
    """You merge a merged token again. Print your result for 7 9 9 with the pair (7, 9) and the new token 7: how often does your inner loop run?"""
    merged = []
    for token in tokens:
        merged.append(token)
        while tuple(merged[-2:]) == tuple(pair):
            merged[-2:] = [new]
    return merged


@misconception(step="merge_pair", caught_by="merge_pair-drawn", family="zeros_swept")
def zeros_and_a_new_zero_swept_away(tokens, pair, new):
    """You lose one token wherever it occurs. Print your result for 0 5 0: what does Python take 0 for in a condition?"""
    swept, place = list(tokens), 0
    while place < len(swept) - 1:
        if (swept[place], swept[place + 1]) == tuple(pair):
            swept[place], swept[place + 1] = new, None
            place += 1
        place += 1
    return [token for token in swept if token]


@misconception(step="merge_pair", caught_by="merge_pair-drawn")
def replaced_in_a_text_of_numbers(tokens, pair, new):
    """You find the pair inside longer numbers. Print your result for 11 2 5 and the pair (1, 2): where does a number begin, and where does it end?"""
    text = " ".join(map(str, tokens)).replace(f"{pair[0]} {pair[1]}", str(new))
    return [int(number) for number in text.split()]


@misconception(step="merge_pair", caught_by="merge_pair-drawn")
def zeros_mark_what_is_used(tokens, pair, new):
    """You lose tokens of 0. Print your result for 0 5 0 and a pair that does not occur: how do you tell a used token from a token of 0?"""
    out = list(tokens)
    for i in range(len(out) - 1):
        if (out[i], out[i + 1]) == pair:
            out[i], out[i + 1] = new, 0
    return [token for token in out if token]


# 3. train


@misconception(step="train", caught_by="train-by_hand")
def counted_once_and_for_all(text, merges):
    """You count once, before the first merge. Print the pairs and their counts before the second one: can a pair with 256 be among them?"""
    counts = count_pairs(list(text.encode("utf-8")))
    ranked = sorted(counts, key=lambda pair: (-counts[pair], pair))
    return [pair for pair in ranked[:merges] if counts[pair] > 1]


@misconception(step="train", caught_by="train-no_text_or_no_merges")
def zero_merges_taken_for_no_limit(text, merges):
    """You learn pairs although none are asked for. Print your limit for merges = 0: what does Python take 0 for in a condition?"""
    tokens, learned = list(text.encode("utf-8")), []
    limit = merges or len(tokens)
    while len(learned) < limit:
        counts = count_pairs(tokens)
        best = min(counts, key=lambda p: (-counts[p], p), default=None)
        if best is None or counts[best] < 2:
            break
        tokens = merge_pair(tokens, best, 256 + len(learned))
        learned.append(best)
    return learned


@misconception(step="train", caught_by="train-by_hand")
def merged_and_forgotten(text, merges):
    """You learn the same pair again and again. Print the tokens after your first merge: do you continue with the list that merge_pair returned?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-by_hand")
def numbered_from_257(text, merges):
    """Your new tokens are one too large. Print the tokens after the first merge: which number is free after the 256 bytes 0 to 255?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(257, 257 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-by_hand")
def numbered_after_the_largest(text, merges):
    """Your new tokens have small numbers. Print the tokens after the first merge: which numbers are reserved for bytes, whether they occur or not?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for _ in range(merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, max(tokens) + 1)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-by_hand")
def always_the_same_number(text, merges):
    """All your merges make the same token. Print the tokens after each merge of a longer text: how could you tell two of them apart?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for _ in range(merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, 257)
        learned.append(pair)
    return [*dict.fromkeys(learned)]


@misconception(step="train", caught_by="train-by_hand")
def tokens_returned(text, merges):
    """You return the tokens of the text. Print your result in the first check: which list does the docstring ask for?"""
    tokens = list(text.encode("utf-8"))
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        tokens = merge_pair(tokens, min(counts, key=lambda pair: (-counts[pair], pair)), new)
    return tokens


@misconception(step="train", caught_by="train-by_hand")
def table_of_merges(text, merges):
    """Your merges are in a dictionary. Print the type of your result: how does a list give the number of a pair?"""
    tokens = list(text.encode("utf-8"))
    learned = {}
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned[pair] = new
    return learned


@misconception(step="train", caught_by="train-by_hand")
def rarest_pair_first(text, merges):
    """You choose rare pairs. Print the counts and your choice before the first merge: which end of the ranking do you take?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = {pair: count for pair, count in count_pairs(tokens).items() if count > 1}
        if not counts:
            break
        pair = min(counts, key=lambda pair: (counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-by_hand")
def twice_is_not_enough(text, merges):
    """You stop too early. Print the counts before your loop ends: how often must the best pair occur?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) <= 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-by_hand")
def one_merge_too_few(text, merges):
    """You learn one pair too few. Print how often your loop runs for merges = 2: where does it begin, and where does it end?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(1, merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, 255 + new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-ties")
def first_met_among_equals(text, merges):
    """Among equal counts you take the pair that comes first in the text. Print all counts for abcabcab before the second merge: which of the best pairs has the smaller numbers?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = max(counts, key=lambda pair: counts[pair])
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-ties")
def largest_among_equals(text, merges):
    """Among equal counts you take the pair with the larger numbers. Print all counts for abcabcab before the second merge: which end of the equal ones do you take?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = max(counts, key=lambda pair: (counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-ties")
def right_token_compared_first(text, merges):
    """Among equal counts your choice begins with the right token. Print your best pairs for abcabcab before the second merge: which half decides first?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair[1], pair[0]))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-ties")
def compared_as_text(text, merges):
    """Among equal counts you sort your pairs as strings. Print sorted(["99", "256"]): is that the order of the numbers?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], str(pair)))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-nothing_twice")
def pairs_that_stand_once(text, merges):
    """You merge pairs that occur only once. Print the count of each pair that you learn from banana: which count is the lowest that the docstring allows?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if not counts:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-no_text_or_no_merges")
def no_pairs_at_all_unexpected(text, merges):
    """A text without pairs breaks your function. Print what it does with an empty text: what is the maximum of an empty list?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        if counts[pair] < 2:
            break
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-ties")
def one_merge_too_many(text, merges):
    """You learn one pair more than you are asked for. Print how often your loop runs for merges = 1: where does it begin, and where does it end?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 257 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-stops_early")
def own_count_without_overlaps(text, merges):
    """In a run of equal characters you count too few pairs. Print your count for three equal characters: what does count_pairs return for them?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = {}
        for pair in zip(tokens, tokens[1:]):
            counts[pair] = len(tokens) - len(merge_pair(tokens, pair, new))
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-drawn")
def left_token_alone_decides(text, merges):
    """Among equal counts only the left token decides. Print the best pairs where two of them begin with the same token: which should win?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair[0]))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-drawn")
def merged_tokens_only_once(text, merges):
    """You miss more pairs with every merge. Print the longest pieces that you learn from a long text: may both halves of a pair be merged ones?"""
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = {pair: count for pair, count in count_pairs(tokens).items() if min(pair) < 256}
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-letters_of_two_bytes")
def letters_instead_of_bytes(text, merges):
    """English texts work, other characters do not. Print the list that you start from for the text é: how many bytes does that character have?"""
    tokens = [ord(letter) for letter in text]
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-letters_of_two_bytes")
def other_letters_left_out(text, merges):
    """English texts work, but you lose other characters. Print the list that you start from for the text é: what happened to it?"""
    tokens = list(text.encode("ascii", errors="ignore"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-bytes")
def capitals_made_small_before_training(text, merges):
    """You treat capitals as small letters. Print the list that you start from for A, and for a: should they be the same?"""
    text = text.lower()
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-bytes")
def ends_stripped_before_training(text, merges):
    """You lose spaces at the ends of a text. Print the list that you start from for a text that begins with a space: which of your lines removes it?"""
    text = text.strip()
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-bytes")
def line_ends_made_one_before_training(text, merges):
    """You turn two kinds of line ends into one. Print the list that you start from for a text with \\r\\n: where did the 13 go?"""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-bytes")
def tabs_made_spaces_before_training(text, merges):
    """You turn tabs into spaces. Print the list that you start from for a text with a tab: is 9 in it?"""
    text = text.replace("\t", " ")
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-bytes")
def letters_put_together_before_training(text, merges):
    """An e followed by an accent becomes a different character. Print the list that you start from for e\\u0301: is it three bytes?"""
    text = __import__("unicodedata").normalize("NFC", text)
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-letters_of_two_bytes")
def letters_taken_apart_before_training(text, merges):
    """One character becomes two. Print the list that you start from for é: is it two bytes?"""
    text = __import__("unicodedata").normalize("NFD", text)
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-bytes")
def likenesses_made_one_before_training(text, merges):
    """You treat similar characters as the same. Print the list that you start from for ² and for 2: should they differ?"""
    text = __import__("unicodedata").normalize("NFKC", text)
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-drawn")
def spaces_made_one_before_training(text, merges):
    """You turn several spaces into one, and line ends into spaces. Print the list that you start from for a text with two spaces: how many are left?"""
    text = " ".join(text.split())
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-bytes")
def zeros_left_out_before_training(text, merges):
    """One character of a text never reaches your tokens. Print the list that you start from for \\0: what does Python take 0 for in a condition?"""
    text = "".join(letter for letter in text if ord(letter))
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-bytes")
def counted_line_by_line(text, merges):
    """No pair of yours reaches across the end of a line. Print your counts for a text of two lines: which tokens are next to the line end?"""
    lines, learned = [list(line.encode("utf-8")) for line in text.splitlines(keepends=True)], []
    for new in range(256, 256 + merges):
        counts = {}
        for line in lines:
            for pair, count in count_pairs(line).items():
                counts[pair] = counts.get(pair, 0) + count
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        lines = [merge_pair(line, pair, new) for line in lines]
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-drawn")
def counted_word_by_word(text, merges):
    """No pair of yours holds a space. Print your counts for a text of two words: which tokens are next to the space?"""
    words, learned = [list(word.encode("utf-8")) for word in text.split(" ")], []
    for new in range(256, 256 + merges):
        counts = {}
        for word in words:
            for pair, count in count_pairs(word).items():
                counts[pair] = counts.get(pair, 0) + count
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        words = [merge_pair(word, pair, new) for word in words]
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-drawn")
def the_beginning_of_a_text_alone(text, merges):
    """You do not read long texts to the end. Print how many bytes you start from for a long text: how many does it have?"""
    text = text[:1000]
    tokens = list(text.encode("utf-8"))
    learned = []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-drawn")
def smaller_sum_among_equals(text, merges):
    """Among equal counts you take the pair whose two numbers have the smaller sum. Print the best pairs where two of them have the same count: what does the docstring compare first?"""
    tokens, learned = list(text.encode("utf-8")), []
    for new in range(256, 256 + merges):
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], sum(pair), pair))
        tokens = merge_pair(tokens, pair, new)
        learned.append(pair)
    return learned


@misconception(step="train", caught_by="train-no_text_or_no_merges")
def one_merge_at_least(text, merges):
    """You learn a pair for merges = 0. Print your result for abab and merges = 0: when does your loop first look at merges?"""
    tokens, learned = list(text.encode("utf-8")), []
    while True:
        counts = count_pairs(tokens)
        if max(counts.values(), default=0) < 2:
            return learned
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, 256 + len(learned))
        learned.append(pair)
        if len(learned) >= merges:
            return learned


@misconception(step="train", caught_by="train-bytes")
def lines_joined_again_before_training(text, merges):
    """You change line ends, and lose the last one. Print the list that you start from for a text with \\r\\n at its end: where did the 13 and the 10 go?"""
    tokens, learned = list("\n".join(text.splitlines()).encode()), []
    while len(learned) < merges:
        counts = count_pairs(tokens)
        best = min(counts, key=lambda pair: (-counts[pair], pair), default=None)
        if best is None or counts[best] < 2:
            break
        tokens = merge_pair(tokens, best, 256 + len(learned))
        learned.append(best)
    return learned


# 4. encode


@misconception(step="encode", caught_by="encode-by_hand")
def merges_from_the_end(text, merges):
    """You begin with the merge that was learned last. Print the tokens after each merge of the first check: can 256 99 be merged before there is a 256?"""
    tokens = list(text.encode("utf-8"))
    for number, pair in reversed(list(enumerate(merges))):
        tokens = merge_pair(tokens, pair, 256 + number)
    return tokens


@misconception(step="encode", caught_by="encode-drawn")
def encoded_word_by_word(text, merges):
    """Merges that contain a space are never used. Print your tokens for the text "a b" with the pairs (97, 32) and (256, 98): where do you cut the text?"""
    tokens = []
    for k, word in enumerate(text.split(" ")):
        part = list(word.encode("utf-8"))
        for i, pair in enumerate(merges):
            part = merge_pair(part, pair, 256 + i)
        tokens += ([32] if k else []) + part
    return tokens


@misconception(step="encode", caught_by="encode-by_hand")
def numbers_from_0(text, merges):
    """Your merged tokens have the numbers of bytes. Print the tokens after the first merge: which numbers are free?"""
    tokens = list(text.encode("utf-8"))
    for number, pair in enumerate(merges):
        tokens = merge_pair(tokens, pair, number)
    return tokens


@misconception(step="encode", caught_by="encode-by_hand")
def numbers_from_257(text, merges):
    """Your merged tokens are one too large. Print the tokens after the first merge: which number does the pair at index 0 get?"""
    tokens = list(text.encode("utf-8"))
    for number, pair in enumerate(merges):
        tokens = merge_pair(tokens, pair, 257 + number)
    return tokens


@misconception(step="encode", caught_by="encode-by_hand")
def each_merge_once(text, merges):
    """Each merge happens only once in the text. Print the tokens after the first merge of the first check: how often does its pair occur?"""
    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        for place in range(len(tokens) - 1):
            if (tokens[place], tokens[place + 1]) == tuple(pair):
                tokens[place : place + 2] = [new]
                break
    return tokens


@misconception(step="encode", caught_by="encode-by_hand")
def learnt_anew_from_the_text(text, merges):
    """You learn merges from the text you should encode. Print the merges that your function uses in the first check: are they the ones you were given?"""
    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(train(text, len(merges)), start=256):
        tokens = merge_pair(tokens, pair, new)
    return tokens


@misconception(step="encode", caught_by="encode-by_hand")
def pieces_of_text(text, merges):
    """Your result is made of strings. Print its first entry: what are tokens in this notebook?"""
    pieces = [chr(byte) for byte in range(256)]
    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        pieces.append(pieces[pair[0]] + pieces[pair[1]])
        tokens = merge_pair(tokens, pair, new)
    return [pieces[token] for token in tokens]


@misconception(step="encode", caught_by="encode-by_hand")
def last_merge_forgotten(text, merges):
    """You never use the last merge. Print the pairs that your loop goes over in the first check: how many should there be?"""
    tokens = list(text.encode("utf-8"))
    for number in range(len(merges) - 1):
        tokens = merge_pair(tokens, merges[number], 256 + number)
    return tokens


@misconception(step="encode", caught_by="encode-by_hand")
def merged_and_thrown_away(text, merges):
    """Your tokens are still the bytes of the text. Print them before and after a merge: what happens to the list that merge_pair returns?"""
    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        merge_pair(tokens, pair, new)
    return tokens


@misconception(step="encode", caught_by="encode-in_order")
def leftmost_pair_first(text, merges):
    """You merge the pair that comes first in the text. Print the tokens of abc after each of your merges: which of the two pairs was learned first?"""
    tokens = list(text.encode("utf-8"))
    place = 0
    while place < len(tokens) - 1:
        pair = (tokens[place], tokens[place + 1])
        if pair in merges:
            tokens[place : place + 2] = [256 + merges.index(pair)]
            place = 0
        else:
            place += 1
    return tokens


@misconception(step="encode", caught_by="encode-in_order")
def longest_piece_first(text, merges):
    """You cut off the longest known piece from the left. Print the pieces that you try on abc in the second check: what should decide between two of them?"""
    pieces = {bytes([byte]): byte for byte in range(256)}
    spelled = [bytes([byte]) for byte in range(256)]
    for new, (left, right) in enumerate(merges, start=256):
        spelled.append(spelled[left] + spelled[right])
        pieces[spelled[new]] = new
    tokens, rest = [], text.encode("utf-8")
    while rest:
        length = max(size for size in range(1, len(rest) + 1) if rest[:size] in pieces)
        tokens.append(pieces[rest[:length]])
        rest = rest[length:]
    return tokens


@misconception(step="encode", caught_by="encode-in_order", family="frequent_in_this_text")
def most_frequent_pair_first(text, merges):
    """You choose pairs by how often they occur in this text. Print which pair you merge first in abcbc: does its count in this text matter?"""
    tokens = list(text.encode("utf-8"))
    while True:
        counts = {pair: count for pair, count in count_pairs(tokens).items() if pair in merges}
        if not counts:
            return tokens
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = merge_pair(tokens, pair, 256 + merges.index(pair))


@misconception(step="encode", caught_by="encode-in_order")
def stopped_after_one_merge(text, merges):
    """After a merge that finds nothing you lose the others. Print the tokens of abc after each merge: what do you return when a pair does not occur?"""
    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        merged = merge_pair(tokens, pair, new)
        if len(merged) == len(tokens):
            return list(text.encode("utf-8"))
        tokens = merged
    return tokens


@misconception(step="encode", caught_by="encode-drawn")
def stopped_where_a_pair_is_missing(text, merges):
    """You stop at the first pair that the text does not contain. Print which merges you have tried for kcbk: what happens to the ones after it?"""
    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        if tuple(pair) not in count_pairs(tokens):
            break
        tokens = merge_pair(tokens, pair, new)
    return tokens


@misconception(step="encode", caught_by="encode-drawn")
def missing_pairs_take_no_number(text, merges):
    """Your numbers are too small where a pair does not occur in the text. Print the number that each pair gets for kcbk: what determines the number of a pair?"""
    tokens = list(text.encode("utf-8"))
    new = 256
    for pair in merges:
        merged = merge_pair(tokens, pair, new)
        if len(merged) < len(tokens):
            new += 1
        tokens = merged
    return tokens


@misconception(step="encode", caught_by="encode-no_text_or_no_merges")
def a_pair_expected(text, merges):
    """Texts without a pair break your function. Print what it does with an empty text: what is the minimum of an empty list?"""
    tokens = list(text.encode("utf-8"))
    ranks = {tuple(pair): rank for rank, pair in enumerate(merges)}
    while True:
        pair = min(count_pairs(tokens), key=lambda pair: ranks.get(pair, len(ranks)))
        if pair not in ranks:
            return tokens
        tokens = merge_pair(tokens, pair, 256 + ranks[pair])


@misconception(step="encode", caught_by="encode-no_text_or_no_merges")
def nothing_without_merges(text, merges):
    """Without merges you return no tokens. Print your tokens for ab and an empty list: what are the tokens of a text before any merge?"""
    tokens = []
    for new, pair in enumerate(merges, start=256):
        tokens = merge_pair(tokens or list(text.encode("utf-8")), pair, new)
    return tokens


@misconception(step="encode", caught_by="encode-letters_of_two_bytes")
def letters_for_bytes(text, merges):
    """English texts work, other characters do not. Print the list that you start from for the text é: how many bytes does that character have?"""
    tokens = [ord(letter) for letter in text]
    for new, pair in enumerate(merges, start=256):
        tokens = merge_pair(tokens, pair, new)
    return tokens


@misconception(step="encode", caught_by="encode-letters_of_two_bytes")
def question_marks_for_letters(text, merges):
    """English texts work, other characters become something else. Print your tokens of é without any merges: is 63 one of its bytes?"""
    tokens = list(text.encode("ascii", errors="replace"))
    for new, pair in enumerate(merges, start=256):
        tokens = merge_pair(tokens, pair, new)
    return tokens


@misconception(step="encode", caught_by="encode-merges_unchanged")
def merges_used_up(text, merges):
    """Your tokens are right, but the merges are gone. Print merges after a call: which of your lines removes them?"""
    tokens = list(text.encode("utf-8"))
    new = 256
    while merges:
        tokens = merge_pair(tokens, merges.pop(0), new)
        new += 1
    return tokens


@misconception(step="encode", caught_by="encode-merges_unchanged")
def merges_turned_around(text, merges):
    """Your tokens are right, but the merges are in a different order. Print merges after a call: which of your lines reverses them?"""
    tokens = list(text.encode("utf-8"))
    merges.reverse()
    for new in range(256, 256 + len(merges)):
        tokens = merge_pair(tokens, merges[255 - new], new)
    return tokens


@misconception(step="encode", caught_by="encode-bytes")
def capitals_made_small_before_merging(text, merges):
    """You treat capitals as small letters. Print the list that you start from for A, and for a: should they be the same?"""
    text = text.lower()
    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        tokens = merge_pair(tokens, pair, new)
    return tokens


@misconception(step="encode", caught_by="encode-bytes")
def ends_stripped_before_merging(text, merges):
    """You lose spaces at the ends of a text. Print the list that you start from for a text that begins with a space: which of your lines removes it?"""
    text = text.strip()
    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        tokens = merge_pair(tokens, pair, new)
    return tokens


@misconception(step="encode", caught_by="encode-bytes")
def line_ends_made_one_before_merging(text, merges):
    """You turn two kinds of line ends into one. Print the list that you start from for a text with \\r\\n: where did the 13 go?"""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        tokens = merge_pair(tokens, pair, new)
    return tokens


@misconception(step="encode", caught_by="encode-bytes")
def tabs_made_spaces_before_merging(text, merges):
    """You turn tabs into spaces. Print the list that you start from for a text with a tab: is 9 in it?"""
    text = text.replace("\t", " ")
    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        tokens = merge_pair(tokens, pair, new)
    return tokens


@misconception(step="encode", caught_by="encode-bytes")
def letters_put_together_before_merging(text, merges):
    """An e followed by an accent becomes a different character. Print the list that you start from for e\\u0301: is it three bytes?"""
    text = __import__("unicodedata").normalize("NFC", text)
    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        tokens = merge_pair(tokens, pair, new)
    return tokens


@misconception(step="encode", caught_by="encode-letters_of_two_bytes")
def letters_taken_apart_before_merging(text, merges):
    """One character becomes two. Print the list that you start from for é: is it two bytes?"""
    text = __import__("unicodedata").normalize("NFD", text)
    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        tokens = merge_pair(tokens, pair, new)
    return tokens


@misconception(step="encode", caught_by="encode-bytes")
def likenesses_made_one_before_merging(text, merges):
    """You treat similar characters as the same. Print the list that you start from for ² and for 2: should they differ?"""
    text = __import__("unicodedata").normalize("NFKC", text)
    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        tokens = merge_pair(tokens, pair, new)
    return tokens


@misconception(step="encode", caught_by="encode-drawn")
def spaces_made_one_before_merging(text, merges):
    """You turn several spaces into one, and line ends into spaces. Print the list that you start from for a text with two spaces: how many are left?"""
    text = " ".join(text.split())
    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        tokens = merge_pair(tokens, pair, new)
    return tokens


@misconception(step="encode", caught_by="encode-bytes")
def zeros_left_out_before_merging(text, merges):
    """One character of a text never reaches your tokens. Print the list that you start from for \\0: what does Python take 0 for in a condition?"""
    text = "".join(letter for letter in text if ord(letter))
    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        tokens = merge_pair(tokens, pair, new)
    return tokens


@misconception(step="encode", caught_by="encode-bytes")
def merged_line_by_line(text, merges):
    """No token of yours reaches across the end of a line. Print your tokens of a text of two lines: which pair contains the line end?"""
    tokens = []
    for line in text.splitlines(keepends=True):
        part = list(line.encode("utf-8"))
        for new, pair in enumerate(merges, start=256):
            part = merge_pair(part, pair, new)
        tokens += part
    return tokens


@misconception(step="encode", caught_by="encode-drawn")
def the_beginning_encoded_alone(text, merges):
    """You do not read long texts to the end. Print how many bytes you start from for a long text: how many does it have?"""
    tokens = list(text.encode("utf-8"))[:1000]
    for new, pair in enumerate(merges, start=256):
        tokens = merge_pair(tokens, pair, new)
    return tokens


@misconception(step="encode", caught_by="encode-drawn")
def texts_remembered_without_their_merges(text, merges):
    """A text that you have encoded before gets its old tokens. Print them for kcbk and two lists of merges: which arguments do you look up?"""
    global known
    if "known" not in globals():
        known = {}
    if (text, len(merges)) not in known:
        tokens = list(text.encode("utf-8"))
        for new, pair in enumerate(merges, start=256):
            tokens = merge_pair(tokens, pair, new)
        known[text, len(merges)] = tokens
    return list(known[text, len(merges)])


@misconception(step="encode", caught_by="encode-in_order", family="frequent_in_this_text")
def most_frequent_pair_first_earlier_among_equals(text, merges):
    """You choose pairs by how often they occur in this text. Print which pair you merge first in abcbc: does its count in this text matter?"""
    tokens, known = list(text.encode("utf-8")), {tuple(pair): 256 + place for place, pair in enumerate(merges)}
    while True:
        counts = {pair: count for pair, count in count_pairs(tokens).items() if pair in known}
        if not counts:
            return tokens
        pair = min(counts, key=lambda pair: (-counts[pair], known[pair]))
        tokens = merge_pair(tokens, pair, known[pair])


@misconception(step="encode", caught_by="encode-drawn")
def merged_word_by_word(text, merges):
    """None of your merges joins a word and the space after it. Print the parts that you cut the text into, and a merge with a space: does the docstring mention words?"""
    tokens = []
    for place, word in enumerate(text.split(" ")):
        part = list((word if place == 0 else " " + word).encode("utf-8"))
        for new, pair in enumerate(merges, start=256):
            part = merge_pair(part, pair, new)
        tokens.extend(part)
    return tokens


@misconception(step="encode", caught_by="encode-bytes")
def lines_joined_again_before_merging(text, merges):
    """You change line ends, and lose the last one. Print the list that you start from for a text with \\r\\n at its end: where did the 13 and the 10 go?"""
    tokens = list("\n".join(text.splitlines()).encode())
    for place, pair in enumerate(merges):
        tokens = merge_pair(tokens, pair, 256 + place)
    return tokens


# 5. decode


@misconception(step="decode", caught_by="decode-by_hand", family="half_opened")
def spelled_out_once(tokens, merges):
    """You decode a token made of merged ones only halfway. Print the list that you turn into bytes in the first check: is every number in it a byte?"""
    spelled = []
    for token in tokens:
        spelled.extend([token] if token < 256 else merges[token - 256])
    return bytes(spelled).decode("utf-8", errors="replace")


@misconception(step="decode", caught_by="decode-no_text")
def unfinished_character_swallowed(tokens, merges):
    """A character that is cut short at the end disappears. Print your text for the tokens 97 and 195: what does the docstring say becomes of the 195?"""
    import codecs

    pieces = {b: bytes([b]) for b in range(256)}
    for i, (left, right) in enumerate(merges):
        pieces[256 + i] = pieces[left] + pieces[right]
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    return "".join(decoder.decode(pieces[t]) for t in tokens)


@misconception(step="decode", caught_by="decode-by_hand")
def halves_exchanged(tokens, merges):
    """You spell each token backwards. Print the bytes of 256 in the first check: which half of a pair comes first?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[right] + pieces[left])
    return b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")


@misconception(step="decode", caught_by="decode-by_hand")
def numbers_counted_from_257(tokens, merges):
    """You take each token for the one before it. Print which pair you look up for 256: which index does it have?"""
    pieces = [*(bytes([byte]) for byte in range(256)), b""]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")


@misconception(step="decode", caught_by="decode-by_hand", family="half_opened")
def undone_in_the_order_of_learning(tokens, merges):
    """You decode a token made of merged ones only halfway. Print the tokens after each turn of your loop: what happens to a 256 that comes out of 257 later?"""
    for number, pair in enumerate(merges):
        opened = []
        for token in tokens:
            opened.extend(pair if token == 256 + number else [token])
        tokens = opened
    return bytes(tokens).decode("utf-8", errors="replace")


@misconception(step="decode", caught_by="decode-by_hand")
def bytes_returned(tokens, merges):
    """The bytes are right, but you return bytes. Print the type of your result: which step turns bytes into text?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return b"".join(pieces[token] for token in tokens)


@misconception(step="decode", caught_by="decode-by_hand")
def list_of_pieces(tokens, merges):
    """Your result is a list of pieces. Print its type in the first check: what does the docstring return?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return [pieces[token].decode("utf-8", errors="replace") for token in tokens]


@misconception(step="decode", caught_by="decode-by_hand")
def spaces_between_pieces(tokens, merges):
    """Between your tokens there are characters that were not in the text. Print your result in the first check: what do you join the pieces with?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return b" ".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")


@misconception(step="decode", caught_by="decode-by_hand")
def merged_tokens_as_letters(tokens, merges):
    """Merged tokens come out as strange characters. Print the character that chr makes of 256: are its numbers those of tokens or of characters?"""
    return "".join(chr(token) for token in tokens)


@misconception(step="decode", caught_by="decode-by_hand")
def merged_tokens_left_out(tokens, merges):
    """Your text lacks the merged tokens. Print your result in the first check: what do you do with a token above 255?"""
    return bytes(token for token in tokens if token < 256).decode("utf-8", errors="replace")


@misconception(step="decode", caught_by="decode-several_bytes")
def each_byte_a_letter(tokens, merges):
    """Every byte becomes a character of its own. Print your text of 195 169: how many characters does it have?"""
    pieces = [chr(byte) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return "".join(pieces[token] for token in tokens)


@misconception(step="decode", caught_by="decode-several_bytes")
def each_token_read_alone(tokens, merges):
    """You read each token before the next one comes. Print your text of 195 169: is half of a character text?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return "".join(pieces[token].decode("utf-8", errors="replace") for token in tokens)


@misconception(step="decode", caught_by="decode-several_bytes", family="broken_letters")
def pieces_kept_as_text(tokens, merges):
    """English texts work, but other characters become replacement characters. Print what you keep for 195: can half of a character be read?"""
    pieces = [bytes([byte]).decode("utf-8", errors="replace") for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return "".join(pieces[token] for token in tokens)


@misconception(step="decode", caught_by="decode-several_bytes", family="broken_letters")
def read_as_ascii(tokens, merges):
    """English texts work, but other characters become replacement characters. Print your text of 195 169: which encoding turned the character into bytes?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return b"".join(pieces[token] for token in tokens).decode("ascii", errors="replace")


@misconception(step="decode", caught_by="decode-half_a_letter")
def errors_raised(tokens, merges):
    """Invalid bytes break your function. Print what it does with the token 255 alone: what should a reader see there?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return b"".join(pieces[token] for token in tokens).decode("utf-8")


@misconception(step="decode", caught_by="decode-half_a_letter")
def broken_bytes_left_out(tokens, merges):
    """Invalid bytes vanish. Print your text of the token 255 alone: how would a reader know that something is missing?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return b"".join(pieces[token] for token in tokens).decode("utf-8", errors="ignore")


@misconception(step="decode", caught_by="decode-half_a_letter")
def broken_bytes_spelled_out(tokens, merges):
    """Invalid bytes come out with a backslash. Print your text of the token 255 alone: which character should be there?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return b"".join(pieces[token] for token in tokens).decode("utf-8", errors="backslashreplace")


@misconception(step="decode", caught_by="decode-half_a_letter")
def question_marks(tokens, merges):
    """Invalid bytes become question marks. Print your text of the token 255 alone: could a reader tell it from a real question mark?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace").replace("\ufffd", "?")


@misconception(step="decode", caught_by="decode-half_a_letter")
def nothing_where_one_byte_is_broken(tokens, merges):
    """One invalid byte costs you the whole text. Print your text of 255 104: what of it can still be read?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    try:
        return b"".join(pieces[token] for token in tokens).decode("utf-8")
    except UnicodeDecodeError:
        return "\ufffd"


@misconception(step="decode", caught_by="decode-no_text")
def byte_by_byte_where_one_is_broken(tokens, merges):
    """One invalid byte breaks the characters next to it. Print your text of 195 169 255: which of these bytes are a character?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    whole = b"".join(pieces[token] for token in tokens)
    try:
        return whole.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(bytes([byte]).decode("utf-8", errors="replace") for byte in whole)


@misconception(step="decode", caught_by="decode-no_text")
def token_by_token_where_one_is_broken(tokens, merges):
    """One invalid byte breaks neighbouring characters whose bytes are separate tokens. Print your text of 195 169 255: which of these tokens are read together?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    try:
        return b"".join(pieces[token] for token in tokens).decode("utf-8")
    except UnicodeDecodeError:
        return "".join(pieces[token].decode("utf-8", errors="replace") for token in tokens)


@misconception(step="decode", caught_by="decode-no_text")
def one_sign_for_each_broken_byte(tokens, merges):
    """An incomplete character gives you a replacement character for each byte. Print your text of 226 130 104, and what Python's own decoder makes of these bytes: how many characters are in each?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    whole = b"".join(pieces[token] for token in tokens)
    text, place = "", 0
    while place < len(whole):
        for size in (1, 2, 3, 4):
            try:
                text += whole[place : place + size].decode("utf-8")
                place += size
                break
            except UnicodeDecodeError:
                pass
        else:
            text += "\ufffd"
            place += 1
    return text


@misconception(step="decode", caught_by="decode-no_text")
def signs_side_by_side_made_one(tokens, merges):
    """Two invalid bytes in a row come out as one character. Print your text of 255 255, and what Python's own decoder makes of these bytes: how many characters are in each?"""
    import re

    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    text = b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")
    return re.sub("\ufffd+", "\ufffd", text)


@misconception(step="decode", caught_by="decode-round_trip")
def two_levels_deep(tokens, merges):
    """Short tokens work, deeply merged ones do not. Print the list that you turn into bytes for a long text: how often may you have to expand a token?"""
    for _ in range(2):
        opened = []
        for token in tokens:
            opened.extend([token] if token < 256 else merges[token - 256])
        tokens = opened
    return bytes(tokens).decode("utf-8", errors="replace")


@misconception(step="decode", caught_by="decode-round_trip")
def spaces_stripped(tokens, merges):
    """Texts come back without the spaces at their ends. Print repr of your text of 32 104 32: which line removes them?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace").strip()


@misconception(step="decode", caught_by="decode-no_tokens")
def something_expected(tokens, merges):
    """An empty list breaks your function. Print what it does with an empty list: which of its lines needs a first token?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    whole = pieces[tokens[0]]
    for token in tokens[1:]:
        whole += pieces[token]
    return whole.decode("utf-8", errors="replace")


@misconception(step="decode", caught_by="decode-no_tokens")
def none_for_nothing(tokens, merges):
    """An empty list gives None. Print your result for an empty list: which string has no characters?"""
    if not tokens:
        return None
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")


@misconception(step="decode", caught_by="decode-inputs_unchanged")
def opened_in_place(tokens, merges):
    """Your text is right, but the tokens have changed. Print tokens after a call: in which list do you expand them?"""
    place = 0
    while place < len(tokens):
        if tokens[place] < 256:
            place += 1
        else:
            tokens[place : place + 1] = merges[tokens[place] - 256]
    return bytes(tokens).decode("utf-8", errors="replace")


@misconception(step="decode", caught_by="decode-inputs_unchanged")
def bytes_put_before_the_merges(tokens, merges):
    """Your text is right, but the merges have changed. Print how many there are before and after a call: which line adds the others?"""
    merges[:0] = [(byte,) for byte in range(256)]  # so that a token is its own place

    def spelled(token):
        parts = merges[token]
        return list(parts) if len(parts) == 1 else spelled(parts[0]) + spelled(parts[1])

    return bytes(byte for token in tokens for byte in spelled(token)).decode("utf-8", errors="replace")


@misconception(step="decode", caught_by="decode-round_trip")
def capitals_made_small_afterwards(tokens, merges):
    """You lose capitals. Print your text of the tokens 65 and 97: which line makes them the same letter?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    text = b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")
    return text.lower()


@misconception(step="decode", caught_by="decode-round_trip")
def line_ends_made_one_afterwards(tokens, merges):
    """Line ends come back changed. Print repr of your text of the tokens 13 and 10: where did the 13 go?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    text = b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


@misconception(step="decode", caught_by="decode-round_trip")
def tabs_made_spaces_afterwards(tokens, merges):
    """Tabs come back as spaces. Print repr of your text of the token 9: what replaces the tab?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    text = b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")
    return text.replace("\t", " ")


@misconception(step="decode", caught_by="decode-round_trip")
def letters_put_together_afterwards(tokens, merges):
    """Two characters come back as one. Print ascii of your text of the tokens 101, 204, 129: how many characters should it have?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    text = b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")
    return __import__("unicodedata").normalize("NFC", text)


@misconception(step="decode", caught_by="decode-several_bytes")
def letters_taken_apart_afterwards(tokens, merges):
    """One character comes back as two. Print the length of your text of the tokens 195 and 169: how many characters does it have?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    text = b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")
    return __import__("unicodedata").normalize("NFD", text)


@misconception(step="decode", caught_by="decode-round_trip")
def likenesses_made_one_afterwards(tokens, merges):
    """Characters come back as similar ones. Print your text of the tokens 194 and 178: is it ², or 2?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    text = b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")
    return __import__("unicodedata").normalize("NFKC", text)


@misconception(step="decode", caught_by="decode-round_trip")
def spaces_made_one_afterwards(tokens, merges):
    """The number of spaces changes. Print repr of your text of 97 32 32 97: how many are left?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    text = b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")
    return " ".join(text.split())


@misconception(step="decode", caught_by="decode-round_trip")
def zeros_left_out_afterwards(tokens, merges):
    """One byte never reaches your text. Print repr of your text of the token 0: what does Python take 0 for in a condition?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    text = b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")
    return "".join(letter for letter in text if ord(letter))


@misconception(step="decode", caught_by="decode-no_text")
def halves_of_pairs_let_through(tokens, merges):
    """Three invalid bytes become a character that cannot be encoded. Print ascii of your text of 237 160 128, and what Python's own decoder makes of it: how many characters are in each?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    spelled = b"".join(pieces[token] for token in tokens)
    try:
        return spelled.decode("utf-8", errors="surrogatepass")
    except UnicodeDecodeError:
        return spelled.decode("utf-8", errors="replace")


@misconception(step="decode", caught_by="decode-round_trip")
def opened_ten_times(tokens, merges):
    """You decode deeply merged tokens only halfway. Print the list that you turn into bytes for such a token: how often may you have to expand one?"""
    for _ in range(10):
        tokens = [part for token in tokens for part in (merges[token - 256] if token > 255 else (token,))]
    return bytes(tokens).decode("utf-8", errors="replace")


@misconception(step="decode", caught_by="decode-round_trip")
def mark_at_the_beginning_left_out(tokens, merges):
    """A text that begins with a certain character comes back without it. Print ascii of your text of 239 187 191: which encoding do you use?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return b"".join(pieces[token] for token in tokens).decode("utf-8-sig", errors="replace")


@misconception(step="decode", caught_by="decode-by_hand", family="half_opened")
def spelled_out_once_and_cut_to_bytes(tokens, merges):
    """You decode a token made of merged ones only halfway. Print the list that you turn into bytes in the first check: is every number in it a byte?"""
    spelled = []
    for token in tokens:
        spelled.extend([token] if token < 256 else merges[token - 256])
    return bytes(byte % 256 for byte in spelled).decode("utf-8", errors="replace")


@misconception(step="decode", caught_by="decode-round_trip")
def lines_read_one_by_one(tokens, merges):
    """Some characters come back as line ends, and one at the end is lost. Print repr of your text of 97 13, and of 97 28 98: which characters does splitlines cut at?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    text = b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")
    return "\n".join(text.splitlines())


# Questions that a value answers


@misconception(step="bytes_to_begin", caught_by="bytes_to_begin-answer")
def counted_characters():
    """You counted characters. Print the bytes of the text one by one: which characters take more than one?"""
    return 11


@misconception(step="bytes_to_begin", caught_by="bytes_to_begin-answer")
def two_bytes_at_most():
    """Some characters take more bytes than you gave them. Print the bytes of the euro sign alone: how many are there?"""
    return 13


@misconception(step="bytes_to_begin", caught_by="bytes_to_begin-answer")
def two_bytes_for_every_character():
    """This is not UTF-8, in which common letters are short. Print the bytes of the letter f alone: how many are there?"""
    return 22


@misconception(step="different_tokens", caught_by="different_tokens-answer")
def merged_tokens_alone():
    """A text may have characters that were never merged. Print what encode returns without any merges: where do those numbers come from?"""
    return 1000


@misconception(step="different_tokens", caught_by="different_tokens-answer")
def largest_number():
    """This is the largest token. Print the tokens of a text that begins with a zero byte: which number comes first in the count?"""
    return 1255


@misconception(step="different_tokens", caught_by="different_tokens-answer")
def two_for_each_pair():
    """A pair becomes one new token. Print the tokens before and after one merge: how many new numbers appear?"""
    return 256 + 2000


@misconception(step="tokens_left", caught_by="tokens_left-answer")
def every_pair_at_once():
    """A letter belongs to one token alone. Print the tokens after the first merge: how many letters b are left for the second?"""
    return 2


@misconception(step="tokens_left", caught_by="tokens_left-answer")
def first_merge_alone():
    """One merge is missing. Print the tokens after the first merge: which pairs are there now?"""
    return 4


@misconception(step="tokens_left", caught_by="tokens_left-answer")
def bytes_of_the_text():
    """This is the number of bytes. Print what encode returns for "ab": what do merges do to that number?"""
    return 5


@misconception(step="merge_pair", caught_by="merge_pair-by_hand")
def list_compared_with_a_tuple(tokens, pair, new):
    """Nothing is ever merged. Print what you compare with pair, next to pair, and whether Python calls them equal: of which type is each?"""
    merged, i = [], 0
    while i < len(tokens):
        if list(tokens[i : i + 2]) == pair:
            merged.append(new)
            i += 2
        else:
            merged.append(tokens[i])
            i += 1
    return merged


@misconception(step="decode", caught_by="decode-by_hand")
def table_without_256(tokens, merges):
    """Your table has no token 256. Print its largest keys for a single merge: which number does the first merge get?"""
    pieces = {b: bytes([b]) for b in range(256)}
    for token, (left, right) in enumerate(merges, start=257):
        pieces[token] = pieces.get(left, b"") + pieces.get(right, b"")
    return b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")


@misconception(step="merge_pair", caught_by="merge_pair-drawn")
def every_second_of_equals(tokens, pair, new):
    """Two equal tokens are merged even if they are not neighbours. Print your result for 7 1 7 with the pair (7, 7): what is between the sevens?"""
    result, open_one, i = [], False, 0
    while i < len(tokens):
        if pair[0] == pair[1] == tokens[i]:
            if open_one:
                result[-1] = new
            else:
                result.append(tokens[i])
            open_one, i = not open_one, i + 1
        elif tuple(tokens[i : i + 2]) == tuple(pair):
            result.append(new)
            i += 2
        else:
            result.append(tokens[i])
            i += 1
    return result


@misconception(step="train", caught_by="train-drawn")
def kept_from_a_shorter_training(text, merges):
    """A text that came before gives no more merges than it gave then. Print what your function has stored after train(text, 1): how much of it serves a call that may learn 3?"""
    global merges_of_texts
    if "merges_of_texts" not in globals():
        merges_of_texts = {}
    if text not in merges_of_texts:
        tokens, learned = list(text.encode("utf-8")), []
        while len(learned) < merges:
            counts = count_pairs(tokens)
            pair = min(counts, key=lambda pair: (-counts[pair], pair), default=None)
            if pair is None or counts[pair] < 2:
                break
            tokens = merge_pair(tokens, pair, 256 + len(learned))
            learned.append(pair)
        merges_of_texts[text] = learned
    return merges_of_texts[text][:merges]


@misconception(step="train", caught_by="train-stops_early")
def three_tokens_are_too_few(text, merges):
    """One character, three times, teaches you nothing. Print what count_pairs returns for it: how often does its pair occur?"""
    tokens, learned = list(text.encode("utf-8")), []
    while len(learned) < merges and len(tokens) > 3:
        counts = count_pairs(tokens)
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        if counts[pair] < 2:
            break
        tokens = merge_pair(tokens, pair, 256 + len(learned))
        learned.append(pair)
    return learned


@misconception(step="encode", caught_by="encode-bytes")
def long_characters_kept_apart(text, merges):
    """No merge of yours reaches from a character of several bytes to the one next to it. Print the list of bytes in which you look for pairs: is it the whole text?"""
    tokens, piece = [], []

    def finish():
        part = list(piece)
        for i, pair in enumerate(merges):
            part = merge_pair(part, pair, 256 + i)
        tokens.extend(part)
        piece.clear()

    for character in text:
        data = character.encode("utf-8")
        if len(data) > 2:
            finish()
            piece.extend(data)
            finish()
        else:
            piece.extend(data)
    finish()
    return tokens


@misconception(step="decode", caught_by="decode-no_text")
def only_the_first_mistake_marked(tokens, merges):
    """Only the first invalid byte leaves a mark, further ones disappear. Print your text of 255 97 255: what becomes of the second 255?"""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    data = b"".join(pieces[token] for token in tokens)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        return data[: error.start].decode("utf-8") + "\ufffd" + data[error.end :].decode("utf-8", "ignore")


@misconception(step="train", caught_by="train-bytes")
def mark_put_in_front(text, merges):
    """You learn from three bytes that are not in the text. Print the bytes that you start from, for the text ab: how many should there be?"""
    tokens, learned = list(text.encode("utf-8-sig")), []
    while len(learned) < merges:
        counts = count_pairs(tokens)
        pair = min(counts, key=lambda pair: (-counts[pair], pair), default=None)
        if pair is None or counts[pair] < 2:
            break
        tokens = merge_pair(tokens, pair, 256 + len(learned))
        learned.append(pair)
    return learned


@misconception(step="decode", caught_by="decode-round_trip")
def two_levels_deep_and_the_rest_left_out(tokens, merges):
    """You look into a token twice, and drop what is still no byte. Print the parts that you drop in an encoded text: what is each of them made of?"""
    bytes_ = []
    for token in tokens:
        for part in merges[token - 256] if token > 255 else (token,):
            bytes_ += merges[part - 256] if part > 255 else (part,)
    return bytes(byte for byte in bytes_ if byte < 256).decode("utf-8", errors="replace")


@misconception(step="merge_pair", caught_by="merge_pair-left_to_right")
def merged_token_still_the_last_one(tokens, pair, new):
    """In a run of equal tokens one vanishes. Print the token that you remember as the last one after each merge of 7 7 7: can it still be merged?"""
    merged, last = [], None
    for token in tokens:
        if (last, token) == tuple(pair):
            merged[-1] = new
        else:
            merged.append(token)
        last = token
    return merged
