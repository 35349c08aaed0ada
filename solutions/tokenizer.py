# %% [markdown]
# # Tokens, built by hand
#
# A language model does not read characters. It reads numbers, each of which represents a piece of text: a
# character, a syllable, a whole word. Those pieces are called tokens, and they have to be chosen. Most
# models let the text choose: start with single bytes, find the two neighbours that occur together most often,
# give the pair a number of its own, and repeat. That is **byte-pair encoding**. In five short functions you will
# write all of it: learn the pieces, cut a text into them, and put it together again.
#
# **How this works.** Each step says why it exists and leaves one function for you to write. Its checks come right
# below.
#
# - A *visible* check tells you at once whether it passed, and what it got and wanted. The first one of each
#   step is small enough to verify with a pencil.
# - A *hidden* check is graded after you hand in. It tests only rules that the function's docstring states, with
#   texts that nobody knows in advance.
#
# Work from top to bottom. Change your own functions as often as you like, and add cells wherever you want to try
# something. Before you hand in, restart the kernel and run everything once.

# %% [markdown]
# ## The house rules
#
# They hold for all five steps.
#
# - **Tokens are whole numbers, in a list.** 0 to 255 are the bytes of UTF-8. Every larger number stands for
#   two tokens that were merged: 256 for the first pair that was learned, 257 for the second, and so on.
# - **A pair is a tuple of two tokens**, left one first: `(98, 97)` and `(97, 98)` are different pairs.
# - **Merges are a list of pairs**, in the order in which they were learned. The index of a pair in that list
#   gives its number: index 0 makes token 256.
# - **Inputs are never changed.** Your function must not modify its arguments.
# - **Plain Python is enough.** A tuple is accepted wherever a list is asked for.
# - **To look inside**, print in your own function; to try other numbers, take the arguments of the first
#   check of a step from `given = tools.first("count_pairs")`, change one, as in `given["tokens"] = …`, and
#   call `count_pairs(**given)`.
# - **More practice.** Once all visible checks of a step pass, `tools.practice("merge_pair")` tries your function on
#   fresh inputs and says which rules hold, in one line each, also rules that only hidden checks ask for.

# %% setup
import numpy as np

from autograder import tools

rng = np.random.default_rng(256)  # grading puts another in its place, which depends on the course's secret

# %%
import numpy as np

# %% practice
class Practice:
    """What holds of any right answer, for tools.practice: no line here computes a whole one."""

    def count_pairs(t):
        tokens = t.rng.choice([0, 1, 2, 300, 70000], size=int(t.rng.integers(0, 12))).tolist()
        counts = t.call(tokens=tokens)
        total = sum(counts.values())
        t.holds("The counts add up to one less than the tokens.", total == max(0, len(tokens) - 1), f"they add up to {total}")
        t.holds("No count is 0.", all(counts.values()))
        if len(tokens) > 1:
            at = int(t.rng.integers(len(tokens) - 1))
            pair = tokens[at], tokens[at + 1]
            times = sum(tokens[i : i + 2] == list(pair) for i in range(len(tokens)))
            t.holds("One pair, counted place by place.", counts.get(pair) == times, f"{pair}: {counts.get(pair)}, not {times}")
        t.holds("Reversed tokens give the same counts for reversed pairs.", {(b, a): n for (a, b), n in counts.items()} == t.again(tokens=tokens[::-1]))

    def merge_pair(t):
        tokens = t.rng.choice([0, 1, 300], size=int(t.rng.integers(0, 16)), p=[0.4, 0.4, 0.2]).tolist()
        pair = ((0, 0), (0, 1), (1, 1), (300, 0))[t.rng.integers(4)]
        merged = t.call(tokens=tokens, pair=pair, new=256)
        apart = [token for each in merged for token in (pair if each == 256 else (each,))]
        t.holds("With the pair written out again, the tokens are the original ones.", apart == tokens, f"they are {apart}")
        left = [place for place in zip(merged, merged[1:]) if place == pair]
        t.holds("The pair no longer occurs.", not left)
        before = list(zip(merged, merged[1:]))
        t.holds("From left to right: of three equal tokens the last is left over.", pair[0] != pair[1] or (pair[0], 256) not in before)

    def train(t):
        text = "".join(t.rng.choice(list("ab c"), size=int(t.rng.integers(0, 30))))
        text += t.rng.choice(["", "éé", "\n\n A A", "\r\n\t"]) * 2
        merges = t.call(text=text, merges=int(t.rng.integers(0, 6)))
        t.holds("There are no more merges than asked for.", len(merges) <= t.given["merges"], f"{len(merges)}")
        more = t.again(merges=t.given["merges"] + 3)
        t.holds("More merges begin with the same ones.", list(more[: len(merges)]) == list(merges), f"{more}")
        if merges:
            counts = count_pairs(list(text.encode()))
            t.holds("The first merge is one of the most frequent pairs of bytes.", counts.get(tuple(merges[0])) == max(counts.values()))
            best = min(pair for pair, count in counts.items() if count == max(counts.values()))
            t.holds("Among equals it is the one with the smaller numbers.", tuple(merges[0]) == best, f"{tuple(merges[0])}, not {best}")
        if len(merges) > 1:
            counts = count_pairs(merge_pair(list(text.encode()), tuple(merges[0]), 256))
            best = min(pair for pair, count in counts.items() if count == max(counts.values()))
            t.holds("So is the second, once the first is merged into 256.", tuple(merges[1]) == best, f"{tuple(merges[1])}, not {best}")
        t.holds("No pair is merged twice.", len(set(map(tuple, merges))) == len(merges))
        t.holds("Where no pair occurs twice, nothing is learned.", len(t.again(text="abcdé")) == 0)

    def encode(t):
        text = "".join(t.rng.choice(list("abcAé \n\r\t"), size=int(t.rng.integers(0, 24))))
        merges = [(97, 98), (98, 99), (256, 99), (256, 256)][: int(t.rng.integers(0, 5))]
        tokens = list(t.call(text=text, merges=merges))
        parts = [[each] for each in range(256)]
        for left, right in merges:
            parts.append(parts[left] + parts[right])
        written = [byte for token in tokens for byte in parts[token]]
        t.holds("Written out as bytes, the tokens are the text.", bytes(written) == text.encode(), f"{bytes(written)!r}")
        t.holds("Without merges they are the bytes.", list(t.again(merges=[])) == list(text.encode()))
        pair = tuple(tokens[-2:]) if len(tokens) > 1 else (99, 97)
        once = merge_pair(tokens, pair, 256 + len(merges))
        t.holds("One more merge is one more merge_pair.", list(t.again(merges=[*merges, pair])) == list(once))

    def decode(t):
        text = "".join(t.rng.choice(list("abcAé🤗 \n\r\t"), size=int(t.rng.integers(0, 20))))
        merges = [(97, 98), (195, 169), (256, 99), (257, 257)][: int(t.rng.integers(0, 5))]
        tokens = encode(text, merges)
        answer = t.call(tokens=list(tokens), merges=merges)
        t.holds("Decoding what encode returns gives the text again.", answer == text, f"{answer!r}, not {text!r}")
        t.holds("An empty list of tokens is an empty text.", t.again(tokens=[]) == "")
        cut = t.again(tokens=[97, 195, 98])
        t.holds("An invalid byte becomes U+FFFD, and its neighbours stay.", cut == "a\ufffdb", f"{cut!r}")

# %%
tools.count_tries(False)  # True counts my tries, for me and my teacher; never graded, never sent

# %% oracles
"""The definitions, written the slow way: one place after the other. Hidden checks compare with these."""
import itertools


def drawn_tokens(count, *numbers):
    """So many tokens, each of them one of these numbers."""
    return [numbers[place] for place in rng.integers(len(numbers), size=count)]


def drawn_text(count, letters):
    """So many letters, each of them one of these."""
    return "".join(drawn_tokens(count, *letters))


# Whoever changes a text before it is encoded, or after it is decoded, changes one of these: capitals; spaces, line ends and
# signs that split lines or are cut off; letters that have several spellings; what stands for something else in some language.
PIECES = "A|a|Ab|ab| |  |\t|\r|\n|\r\n|\0|\x0b|\x0c|\x1c|\x7f|\x85|\xa0|\u200b|\u2028|\u3000|\ufeff|\ufffd|\ufffd\ufffd|é|e\u0301|ﬁ|fi|Ａ|ß|ss|İ|한|²|2|007|,|\\n|\\|&amp;|%20|+|'|’|\"|🤗"
PIECES = PIECES.split("|")


def all_different():
    """68 signs, none of them twice."""
    return "".join(rng.permutation([chr(code) for code in range(33, 127) if not chr(code).isupper()]))


def texts_of_all_kinds():
    """Texts with all of these between them, each of which begins and ends with something that people cut off."""
    ends = " \n", "\ufeff\0", "\t ", "\r\t", "\n."
    order = [PIECES[place] for place in rng.permutation(len(PIECES))]
    return [first + "".join(order[number :: len(ends)]) + last for number, (first, last) in enumerate(ends)]


def pairs_by_definition(tokens):
    """At every place but the last stands a pair; equal ones side by side are counted by their number."""
    pairs = sorted((tokens[place], tokens[place + 1]) for place in range(len(tokens) - 1))
    return {pair: len(list(equal)) for pair, equal in itertools.groupby(pairs)}


def merged_by_definition(tokens, pair, new):
    """All up to the first place where the pair stands, and the new token; then the same with what follows it."""
    merged, start = [], 0
    for place, found in enumerate(zip(tokens, tokens[1:])):
        if found == pair and place >= start:
            merged += [*tokens[start:place], new]
            start = place + 2
    return merged + tokens[start:]


def trained_by_definition(text, merges):
    """The pairs that are learned, and what becomes of the text: all pairs are ranked anew each time."""
    learned, tokens = [], list(text.encode("utf-8"))
    while len(learned) < merges:
        counts = pairs_by_definition(tokens)
        count, *best = min(((-count, *pair) for pair, count in counts.items()), default=(0,))
        if count > -2:
            break
        learned.append(tuple(best))
        tokens = merged_by_definition(tokens, learned[-1], 255 + len(learned))
    return learned, tokens


def encoded_by_definition(text, merges):
    """Of all pairs that were ever learned, the one learned first is merged, at its first place; then again."""
    tokens = list(text.encode("utf-8"))
    while True:
        places = [
            (merges.index((tokens[place], tokens[place + 1])), place)
            for place in range(len(tokens) - 1)
            if (tokens[place], tokens[place + 1]) in merges
        ]
        if not places:
            return tokens
        rank, place = min(places)
        tokens[place : place + 2] = [256 + rank]


def bytes_by_definition(token, merges):
    """A token is a byte, or the bytes of its two parts."""
    if token < 256:
        return [token]
    left, right = merges[token - 256]
    return bytes_by_definition(left, merges) + bytes_by_definition(right, merges)


def decoded_by_definition(tokens, merges):
    """All bytes side by side, read as UTF-8."""
    spelled = [byte for token in tokens for byte in bytes_by_definition(token, merges)]
    return bytes(spelled).decode("utf-8", errors="replace")


# %% [markdown]
# ## Warm-up: characters, bytes, numbers
#
# Nothing here is graded. A text is a string of characters, a file is a sequence of bytes, and UTF-8 is the rule
# that turns one into the other. Write down your guess for each line, then run the cell: how many bytes does each
# of these texts have?

# %%
for text in ("hug", "Süße", "5 €", "🤗"):
    print(f"{text!r:7} characters: {len(text)}, bytes: {len(text.encode('utf-8'))}, {list(text.encode('utf-8'))}")
del text

# %% [markdown]
# An English letter is one byte, and its number is below 128. All other characters take two to four bytes, each of
# which is 128 or more. Cut such a character in half, and neither half is text any more. Keep that in mind for the
# last step.
#
# And back again: `bytes([104, 117, 103])` is a sequence of bytes, and `.decode("utf-8")` reads it as text.

# %%
print(bytes([104, 117, 103]), bytes([104, 117, 103]).decode("utf-8"))

# %% [markdown]
# ## Part one: learn the pieces
#
# ### 1. Which tokens are neighbours: `count_pairs`
#
# To find the most frequent pair of neighbours, count all pairs. Take the tokens `1 2 1 2 3`. They contain four
# pairs, one at each place but the last:
#
# | place | 0 | 1 | 2 | 3 |
# |---|---|---|---|---|
# | pair | `(1, 2)` | `(2, 1)` | `(1, 2)` | `(2, 3)` |
#
# So the answer is `{(1, 2): 2, (2, 1): 1, (2, 3): 1}`. Pairs may overlap: in `7 7 7` the middle seven has a seven
# on either side, and the pair `(7, 7)` occurs twice.


# %% step="count_pairs" points=15
def count_pairs(tokens):
    """How often each pair of neighbouring tokens occurs.

    Takes
        tokens: a list of whole numbers of any size; it may be empty, or hold thousands

    Returns
        a dictionary from each pair, a tuple (left, right), to how often it occurs

    Rules
        Every place counts, also where pairs overlap: 7 7 7 holds (7, 7) twice.
        Pairs that do not occur are not keys. Without neighbours the dictionary is empty.
        The list stays as it is.
    """
    ### BEGIN SOLUTION
    counts = {}
    for pair in zip(tokens, tokens[1:]):
        counts[pair] = counts.get(pair, 0) + 1
    return counts
    ### END SOLUTION


# %% check="count_pairs-by_hand" points=3 category="counts"
"""Five tokens give the three pairs that you count with a pencil."""
with tools.check("count_pairs-by_hand"):
    tools.same(
        count_pairs([1, 2, 1, 2, 3]),
        {(1, 2): 2, (2, 1): 1, (2, 3): 1},
        "the counts",
        "Which two tokens are neighbours at each place?",
        show=True,
    )

# %% check="count_pairs-overlaps" points=3 category="overlaps"
"""Three sevens in a row are two pairs, four are three."""
with tools.check("count_pairs-overlaps"):
    ask = "At how many places does a seven have a seven to its right?"
    tools.same(count_pairs([7, 7, 7]), {(7, 7): 2}, "the counts of 7 7 7", ask)
    tools.same(count_pairs([7, 7, 7, 7]), {(7, 7): 3}, "the counts of 7 7 7 7", ask)

# %% check="count_pairs-no_neighbours" points=0 category="edge cases"
"""An empty list and a single token have no pairs."""
with tools.check("count_pairs-no_neighbours"):
    tools.same(count_pairs([]), {}, "the counts of an empty list", "What does your function do before its loop?")
    tools.same(count_pairs([5]), {}, "the counts of a single token", "Which token is to the right of a single token?")

# %% check="count_pairs-drawn" points=4 category="counts" hidden=true
"""Long lists of random tokens, bytes and larger ones, are counted correctly, however large and however many."""
for size in (30, 60, 60):
    tokens = drawn_tokens(size, 0, 7, 77, 255, 256, 1000) + [7, 7, 7]
    wanted = pairs_by_definition(tokens)
    tools.same(count_pairs(tokens), wanted, "the counts", "Do you count large tokens in the same way as small ones?")
tokens = [0, 0, *drawn_tokens(40, 1, 65536, 1000000, 1114112, 2**31, 2**32 + 1, 2**53 + 1), 2**53, 2**53 + 1, 0]
wanted = pairs_by_definition(tokens)
tools.same(count_pairs(tokens), wanted, "the counts of huge tokens", "Does your function limit how large a token may be?")
tokens = drawn_tokens(900, 0, 3, 5) + 300 * [8]
wanted = pairs_by_definition(tokens)
tools.same(count_pairs(tokens), wanted, "the counts of a thousand tokens and more", "How far does your function get?")

# %% check="count_pairs-short_lists" points=3 category="edge cases" hidden=true
"""An empty list and a single token have no pairs; two tokens have one."""
token = int(rng.integers(256, 900))
tools.same(count_pairs([]), {}, "the counts of an empty list", "What does your function do before its loop?")
tools.same(count_pairs([token]), {}, "the counts of a single token", "Which neighbour does a single token have?")
tools.same(count_pairs([token, 0]), {(token, 0): 1}, "the counts of two tokens")

# %% check="count_pairs-tokens_unchanged" points=2 category="purity" hidden=true
"""The tokens stay as they are, and a second call gives the same answer."""
tokens = [*drawn_tokens(12, 1, 2, 3), 2, 2, 2, 4]
wanted = pairs_by_definition(tokens)
with tools.unchanged(tokens=tokens):
    tools.same(count_pairs(tokens), wanted, "the first answer")
    tools.same(count_pairs(tokens), wanted, "the second answer", "What did your function store in the call before?")

# %% [markdown]
# ### 2. Two become one: `merge_pair`
#
# The pair is chosen. Now it gets a number of its own, and every occurrence of it is replaced by that number. With
# `(1, 2)` as token 256:
#
# ```
# 2  1 2  3  1 2
# 2  256  3  256
# ```
#
# `2 1` stays, because it is a different pair. Where occurrences overlap, they cannot all be merged: a token that has
# been used is gone. The rule is to read from left to right. So `7 7 7`, with `(7, 7)` as 256, becomes `256 7`,
# and not `7 256`.


# %% step="merge_pair" points=20
def merge_pair(tokens, pair, new):
    """The tokens with every occurrence of a pair replaced by one new token.

    Takes
        tokens: a list of whole numbers of any size; it may be empty, or hold thousands
        pair: a tuple (left, right)
        new: the token that stands for the pair from now on, any whole number

    Returns
        a new list, in which `new` replaces the pair, and everything else is as before

    Rules
        From left to right and without overlap: 7 7 7 with (7, 7) becomes new 7.
        If the pair does not occur, the list that comes back equals the one that came in.
        The list that came in stays as it is.
    """
    ### BEGIN SOLUTION
    merged = []
    place = 0
    while place < len(tokens):
        if tuple(tokens[place : place + 2]) == tuple(pair):
            merged.append(new)
            place += 2
        else:
            merged.append(tokens[place])
            place += 1
    return merged
    ### END SOLUTION


# %% check="merge_pair-by_hand" points=4 category="merges"
"""The example above: the pair (1, 2) becomes 256 twice, and 2 1 stays."""
with tools.check("merge_pair-by_hand"):
    tools.same(
        merge_pair([2, 1, 2, 3, 1, 2], (1, 2), 256),
        [2, 256, 3, 256],
        "the merged tokens",
        "Go through it token by token: where does yours first differ?",
        show=True,
    )

# %% check="merge_pair-left_to_right" points=4 category="overlaps"
"""Three sevens become 256 7, four become 256 256."""
with tools.check("merge_pair-left_to_right"):
    ask = "You can merge each seven only once. Which sevens are left then?"
    tools.same(merge_pair([7, 7, 7], (7, 7), 256), [256, 7], "7 7 7", ask)
    tools.same(merge_pair([7, 7, 7, 7], (7, 7), 256), [256, 256], "7 7 7 7", ask)

# %% check="merge_pair-without_the_pair" points=0 category="edge cases"
"""An empty list stays empty, and a list without the pair stays as it is."""
with tools.check("merge_pair-without_the_pair"):
    tools.same(merge_pair([], (1, 2), 256), [], "an empty list", "Does your function need a first token?")
    tools.same(merge_pair([2, 1, 3], (1, 2), 256), [2, 1, 3], "a list without the pair", "Is 2 1 the same pair as 1 2?")

# %% check="merge_pair-drawn" points=6 category="merges" hidden=true
"""In long lists of random tokens every occurrence is merged, under any new number, and nothing else; 0 is an ordinary token."""
for left, right in ((7, 7), (300, 700), *(drawn_tokens(2, 3, 7, 9) for _ in range(5))):
    new = int(rng.integers(100, 256)) if left == right == 7 else int(rng.integers(257, 900))
    tokens = drawn_tokens(40, 3, 7, 9, 37, 77, 99) + [1, left, right, left, right, 1, left, right, 1]
    tokens += [left, left, left, 1, 10 + left, right, 9, left]
    wanted = merged_by_definition(tokens, (left, right), new)
    pair = tuple(map(int, f"{left} {right}".split()))  # equal to those in the list, and other objects
    tools.same(merge_pair(tokens, pair, new), wanted, "the merged tokens", "Must both tokens of the pair be there?")
ask = "Which tokens does your function treat differently?"
for left, right, new in ((0, 0, 256), (0, 5, 0), (5, 0, 9), (3, 9, 0)):
    tokens = [0, left, right, 5, 0, right, left, left, right, 300, *drawn_tokens(8, left, right, 0), 5, 0]
    wanted = merged_by_definition(tokens, (left, right), new)
    tools.same(merge_pair(tokens, (left, right), new), wanted, "a list with tokens of 0", ask)
for left, right, new in ((2**31, 1114112, 2**32 + 1), (5, 2**53 + 1, 2**53)):
    tokens = [0, left, right, 5, 0, right, left, left, right, 2**31, 2**53, *drawn_tokens(8, left, right, 0), 5, 2**53, 0]
    wanted = merged_by_definition(tokens, (left, right), new)
    tools.same(merge_pair(tokens, (left, right), new), wanted, "a list of huge tokens", ask)
tokens = drawn_tokens(1200, 0, 5, 6, 7) + [5, 6, 7]
wanted = merged_by_definition(tokens, (5, 6), 300)
tools.same(merge_pair(tokens, (5, 6), 300), wanted, "a thousand tokens and more", "How far does your function get?")
# The new number may be one of the pair's own: what has been merged is used up all the same.
for left, right in ((3, 9), (9, 3), (7, 7)):
    tokens = [left, left, right, right, 1, *drawn_tokens(12, 3, 7, 9), 1, left, right, left, left, right, right]
    for new in (left, right):
        wanted = merged_by_definition(tokens, (left, right), new)
        tools.same(merge_pair(tokens.copy(), (left, right), new), wanted, "a list where new is half of the pair", "Which tokens of the original list have you used already?")

# %% check="merge_pair-nothing_to_merge" points=3 category="edge cases" hidden=true
"""Lists without the pair come back unchanged: empty ones, single tokens, the pair in reverse order."""
new = int(rng.integers(256, 300))
tools.same(merge_pair([], (1, 2), new), [], "an empty list", "Does your function need a first token?")
tools.same(merge_pair([1], (1, 2), new), [1], "a single token", "What is to the right of it?")
tools.same(merge_pair([2, 1], (1, 2), new), [2, 1], "the pair in reverse order", "Is that the same pair?")
tools.same(merge_pair([3, 4, 5, 2], (1, 2), new), [3, 4, 5, 2], "a list without the pair")

# %% check="merge_pair-tokens_unchanged" points=3 category="purity" hidden=true
"""The given tokens stay as they are, and a second call gives the same answer."""
tokens = [*drawn_tokens(10, 1, 2), 1, 2, 1, 2, 3, 1, 2, 1, 3, 2, 1]
wanted = merged_by_definition(tokens, (1, 2), 256)
with tools.unchanged(tokens=tokens):
    tools.same(merge_pair(tokens, (1, 2), 256), wanted, "the first answer")
    tools.same(merge_pair(tokens, (1, 2), 256), wanted, "the second answer", "Which list do you write into?")

# %% [markdown]
# ### Look: one merge after the other
#
# Your two functions are all it takes. The cell below merges the most frequent pair, three times. Tokens from 256
# on are shown as the characters they represent. Watch the list get shorter.


# %%
@tools.demo
def one_merge_after_the_other():
    tokens, pieces = list(b"aaabdaaabac"), {}
    print(f"{len(tokens):>2} tokens:", " ".join(map(chr, tokens)))
    for new in range(256, 259):
        counts = count_pairs(tokens)
        pair = max(sorted(counts), key=lambda pair: counts[pair])
        pieces[new] = "".join(pieces.get(token, chr(token % 256)) for token in pair)
        tokens = merge_pair(tokens, pair, new)
        print(f"{len(tokens):>2} tokens:", " ".join(pieces.get(token, chr(token % 256)) for token in tokens))


# %% [markdown]
# ### 3. Let the text choose: `train`
#
# Now do it in a loop. Start from the bytes of a text. Count the pairs, take the most frequent one, merge it under
# the next free number, and write down which pair it was. The list of these pairs is the whole tokenizer: a real
# one is a file with some 100,000 such lines.
#
# With a pencil: `abc.abc-ab` are the bytes
#
# ```
# 97 98 99  46  97 98 99  45  97 98      (97, 98) occurs three times: it becomes 256
#  256  99  46   256  99  45   256       (256, 99) occurs twice: it becomes 257
#   257     46    257     45   256       no pair occurs twice: done
# ```
#
# and the answer is `[(97, 98), (256, 99)]`. Where several pairs are equally frequent, there must be a rule,
# or two people would learn different tokenizers from the same text. We take the pair whose numbers are smaller: first the
# left token decides, then the right one, which is how Python compares tuples.


# %% step="train" points=25
def train(text, merges):
    """The pairs that byte-pair encoding learns from a text, in their order.

    Takes
        text: any text, with any characters; it may be empty
        merges: how many pairs to learn at most, 0 or more

    Returns
        a list of pairs; the pair at place i was merged into token 256 + i

    Rules
        It starts from the bytes of the text in UTF-8, as it came: every capital, space and line end counts.
        Each time, the most frequent pair is merged, as count_pairs counts; among equals the one
        whose numbers are smaller, the left one first.
        It stops early if no pair occurs twice.
    """
    ### BEGIN SOLUTION
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
    ### END SOLUTION


# %% check="train-by_hand" points=7 category="order"
"""The example above: abc.abc-ab gives two merges, the second one built on the first."""
with tools.check("train-by_hand"):
    tools.same(
        train("abc.abc-ab", 2),
        [(97, 98), (256, 99)],
        "the merges",
        "Print the tokens after the first merge. Which pair is the most frequent now?",
        show=True,
    )

# %% check="train-ties" points=3 category="order"
"""Among pairs that are equally frequent, the one with the smaller numbers comes first."""
with tools.check("train-ties"):
    ask = "Print all counts before each merge. Which pairs are the most frequent, and which has the smaller numbers?"
    tools.same(train("abcabcab", 2), [(97, 98), (99, 256)], "the merges of abcabcab", ask)
    tools.same(train("cbcb-baba", 1), [(98, 97)], "the first merge of cbcb-baba", ask)

# %% check="train-nothing_twice" points=0 category="edge cases"
"""After ab has been merged in abcab, no pair occurs twice: training stops, even if more merges are allowed."""
with tools.check("train-nothing_twice"):
    tools.same(train("abcab", 9), [(97, 98)], "the merges of abcab", "How often must a pair occur?")

# %% check="train-no_text_or_no_merges" points=0 category="edge cases"
"""An empty text teaches nothing, and no merges are learned if none are asked for."""
with tools.check("train-no_text_or_no_merges"):
    tools.same(train("", 3), [], "the merges of an empty text", "What is the most frequent pair if there are none?")
    tools.same(train("aaaa", 0), [], "no merges at all", "How often does your loop run?")

# %% check="train-letters_of_two_bytes" points=0 category="several bytes"
"""An é is the bytes 195 and 169, which are the first pair of éé."""
with tools.check("train-letters_of_two_bytes"):
    tools.same(train("éé", 3), [(195, 169)], "the merges of éé", "Print the list that you start from: is any number above 255?")

# %% check="train-stops_early" points=4 category="edge cases" hidden=true
"""It learns at most `merges` pairs, and none that occurs only once."""
letters = drawn_text(1, "bcdfgh")
tools.same(train("", 3), [], "the merges of an empty text", "What is the most frequent pair if there are none?")
tools.same(train(letters, 3), [], "the merges of a single character", "What is the most frequent pair if there are none?")
tools.same(train("aeiou", 3), [], "the merges of five characters that meet once", "How often must a pair occur?")
tools.same(train(4 * f"{letters}a", 0), [], "no merges at all", "How often does your loop run?")
tools.same(train(f"{letters}a-{letters}a", 9), [(ord(letters), 97)], "the merges of two characters that meet twice", "How often must a pair occur?")
tools.same(train(3 * letters, 9), [(ord(letters), ord(letters))], "the merges of one character, three times", "How does count_pairs count it?")

# %% check="train-drawn" points=6 category="order" hidden=true
"""Random texts give exactly the merges of the definition, in their order."""
texts = [2 * f"a{drawn_text(60, letters)}a" for letters in ("abc", "xyz  ", "tokens ", "az")]
for text, merges in (("baabbbaa", 1), ("baabbbaa", 3), ("banana", 9), *zip(texts, (20, 60, 20, 16))):
    wanted = trained_by_definition(text, merges)[0]
    ask = "Print tokens and counts before each merge, for a text of your own with spaces: is every pair counted, and which of the best do you take?"
    tools.same(train(text, merges), wanted, "the merges", ask)
tools.same(train(text, 5), wanted[:5], "fewer merges of the same text", "What does your function store in a call?")
text = 2 * all_different()
wanted = trained_by_definition(text, 90)[0]
tools.same(train(text, 90), wanted, "the merges of a text in which nearly everything is learned", "When do you stop?")
text = 40 * "qr" + drawn_text(1000, "abcdefghijklmnop") + 50 * "xy"
wanted = trained_by_definition(text, 4)[0]
tools.same(train(text, 4), wanted, "the merges of a long text", "How much of the text do you read?")

# %% check="train-bytes" points=5 category="several bytes" hidden=true
"""Characters of several bytes are learned byte by byte, and any text is used unchanged."""
texts = [drawn_text(30, letters) for letters in ("äöü", "ab€", "🤗🤔")]
for text in ("aäaaaä", "🤗🤗", *texts):
    wanted = trained_by_definition(text, 200)[0]
    tools.same(train(text, 200), wanted, "the merges", "Print the list that you start from: is any number above 255?")
for text in texts_of_all_kinds():
    twice = f"{text}|{text}"  # so that all of it is learned
    wanted = trained_by_definition(twice, 200)[0]
    tools.same(train(twice, 200), wanted, "the merges of a text of all kinds of characters", "What happens to the text before you count?")

# %% question="bytes_to_begin" kind="number" points=0
"""How many tokens does the text "5 € für Eis" have before the first merge?"""
bytes_to_begin = 14

# %% question="different_tokens" kind="number" points=0
"""A call of train returned 1,000 pairs. How many different tokens can a text consist of when it is encoded with them?
"""
different_tokens = 256 + 1000

# %% [markdown]
# ### Look: what a text teaches
#
# Here is everything that a few lines teach: training stops before the 30 merges that it may learn. Each line shows
# a new token, the two tokens that it was made of, and the piece of text that it represents. Which pieces are words, and which are endings? Try a text of your own, in any
# language.

# %%
LINES = (
    "the cat sat on the mat and the rat sat on the cat. that is that, said the rat. "
    "the mat is where the cat sat, and the cat is where the rat was. "
)


@tools.demo
def what_a_text_teaches():
    learned = train(LINES, 30)
    pieces = {byte: bytes([byte]) for byte in range(256)}
    for new, (left, right) in enumerate(learned, start=256):
        pieces[new] = pieces[left] + pieces[right]
        print(f"{new} = {left:>3} + {right:>3}  {pieces[new].decode()!r}")


# %% [markdown]
# ## Part two: use the pieces
#
# ### 4. From text to tokens: `encode`
#
# The merges are learned once, from a lot of text. Then other texts come, and each is cut into the known pieces.
# How often pairs occur in the new text no longer matters: the *order in which the merges were learned* decides.
# First every occurrence of the first pair is merged, then of the second, to the end of the list.
#
# Why does the order matter? Take the merges `[(98, 99), (97, 98)]`, which make `bc` token 256 and `ab` token 257,
# and the text `abc`. The `b` in the middle can only be merged once. `bc` was learned first, so the answer is
# `97 256`, and not `257 99`.


# %% step="encode" points=20
def encode(text, merges):
    """The tokens of a text, by merges that were learned before.

    Takes
        text: any text, with any characters; it may be empty
        merges: a list of pairs, as train returns it; place i makes token 256 + i

    Returns
        a list of whole numbers

    Rules
        It starts from the bytes of the text in UTF-8, as it came: every capital, space and line end counts.
        The merges are applied in the order in which they were learned, each wherever its pair occurs, as
        merge_pair does. A pair that does not occur is skipped.
        For the text that they were learned from, the tokens are those that training ended with.
        The list of merges stays as it is.
    """
    ### BEGIN SOLUTION
    tokens = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        tokens = merge_pair(tokens, pair, new)
    return tokens
    ### END SOLUTION


# %% check="encode-by_hand" points=4 category="merges"
"""Two merges turn the five characters of abcab into two tokens."""
with tools.check("encode-by_hand"):
    tools.same(
        encode("abcab", [(97, 98), (256, 99)]),
        [257, 256],
        "the tokens",
        "Print the tokens after each merge. The first should leave 256 99 256: what does yours leave?",
        show=True,
    )

# %% check="encode-in_order" points=4 category="order"
"""Where two merges compete for the same character, the one learned first gets it."""
with tools.check("encode-in_order"):
    ask = "Which of the pairs in this text comes first in the list of merges?"
    tools.same(encode("abc", [(97, 98), (98, 99), (97, 257)]), [256, 99], "abc, where ab was learned before bc", ask)
    tools.same(encode("abcbc", [(97, 98), (98, 99)]), [256, 99, 257], "abcbc, where ab was learned before bc", ask)
    tools.same(encode("abc", [(98, 99), (97, 98)]), [97, 256], "abc, where bc was learned before ab", ask)
    tools.same(encode("abcabc", [(98, 99), (97, 98)]), [97, 256, 97, 256], "abcabc, where bc was learned before ab", ask)

# %% check="encode-no_text_or_no_merges" points=0 category="edge cases"
"""An empty text has no tokens, and without merges the bytes are the tokens."""
with tools.check("encode-no_text_or_no_merges"):
    tools.same(encode("", [(97, 98)]), [], "an empty text", "What is there to merge?")
    tools.same(encode("ab", []), [97, 98], "ab without merges", "What are its tokens then?")

# %% check="encode-letters_of_two_bytes" points=0 category="several bytes"
"""An é begins as its two bytes, 195 and 169, and is merged like any other pair."""
with tools.check("encode-letters_of_two_bytes"):
    tools.same(encode("éa", [(195, 169)]), [256, 97], "the tokens of éa", "Print the list that you start from: is any number above 255?")

# %% check="encode-drawn" points=4 category="merges" hidden=true
"""Random texts give the tokens of the definition: the training text, and others."""
for letters in ("abc", "xyz  ", "az"):
    learned, _ = trained_by_definition(drawn_text(120, letters), 16)
    text = "k" + drawn_text(60, letters) + drawn_text(20, f"{letters}k") + "k"
    tools.same(encode(text, list(learned)), encoded_by_definition(text, learned), "the tokens", "Which merges have you tried?")
text = drawn_text(120, "abc")
learned, wanted = trained_by_definition(text, 40)
tools.same(encode(text, list(learned)), wanted, "the tokens of the training text")
text = 2 * all_different()
learned, wanted = trained_by_definition(text, 90)
tools.same(encode(text, list(learned)), wanted, "the tokens of a text of many merges", "Which is the last merge that has its turn?")
text = drawn_text(1100, "ab") + drawn_text(100, "cdef")
learned, wanted = trained_by_definition(text, 4)
tools.same(encode(text, list(learned)), wanted, "the tokens of a long text", "How much of the text do you read?")
wanted = encoded_by_definition(text, learned[:2])
tools.same(encode(text, learned[:2]), wanted, "the same text with fewer merges", "What does your function store in a call?")
tools.same(encode("kcbk", [(97, 98), (99, 98)]), [107, 257, 107], "where the first pair is not there", "Do you try the second merge?")
tools.same(encode("kcbk", [(99, 98), (97, 98)]), [107, 256, 107], "the same text with other merges", "What does your function store in a call?")

# %% check="encode-short_texts" points=3 category="edge cases" hidden=true
"""An empty text, a single character, and a text without any merges."""
letter = drawn_text(1, "bcdfgh")
tools.same(encode("", [(97, 98)]), [], "an empty text", "What is there to merge?")
tools.same(encode(letter, [(97, 98)]), [ord(letter)], "a single character", "Which neighbour does it have?")
tools.same(encode(f"{letter}ab", []), [ord(letter), 97, 98], "a text without merges", "What are its tokens then?")

# %% check="encode-bytes" points=3 category="several bytes" hidden=true
"""Characters of several bytes begin as their bytes, merged or not, and any text is used unchanged."""
for letters in ("äöü", "ab€", "🤗🤔"):
    learned = trained_by_definition(drawn_text(20, letters), 4)[0]
    text = drawn_text(10, letters)
    tools.same(encode(text, list(learned)), encoded_by_definition(text, learned), "the tokens", "Print the list that you start from: is any number above 255?")
across = {"äää": [(0xA4, 0xC3), (0xC3, 0xA4), (256, 0xA4)], "€€€": [(0xAC, 0xE2)]}  # the second of three finds nothing
for text, learned in across.items():
    wanted = encoded_by_definition(text, learned)
    tools.same(encode(text, list(learned)), wanted, "the tokens of three letters alike", "Which merge comes first?")
for text in texts_of_all_kinds():
    learned, wanted = trained_by_definition(text, 3)
    tools.same(encode(text, list(learned)), wanted, "the tokens of a text of all kinds of characters", "What happens to the text before you merge?")
for between in " \t\n\r\0.,":
    tools.same(encode(f"b{between}b", [(98, ord(between)), (256, 98)]), [257], "two characters and another one between them", "Do you cut the text into parts?")

# %% check="encode-merges_unchanged" points=2 category="purity" hidden=true
"""The merges stay as they are, and a second call gives the same answer."""
text = "ababab" + drawn_text(20, "cd")
merges = [(98, 97), (97, 98), (256, 98)]
wanted = encoded_by_definition(text, merges)
with tools.unchanged(merges=merges):
    tools.same(encode(text, merges), wanted, "the first answer")
    tools.same(encode(text, merges), wanted, "the second answer", "Does your first call change the merges?")

# %% question="tokens_left" kind="number" points=0
"""The first merge is (97, 98), an "a" and a "b", the second one (98, 99), a "b" and a "c". How many tokens does encode
return for the text "abcbc"?
"""
tokens_left = 3

# %% [markdown]
# ### 5. And back: `decode`
#
# A model answers in tokens, and people want to read text. Each token is spelled out: a byte is itself, a merged
# token is its left part followed by its right part, and those may be merged ones again. With the merges
# `[(97, 98), (256, 99)]`, token 257 is 256 and 99, which is 97, 98 and 99: `abc`.
#
# One thing can go wrong. A model may output any tokens in any order, so the bytes may not be valid text: half of
# an `é`, for example. Nobody wants an error there. Such bytes are shown as `�`, the character U+FFFD, whose only
# purpose is to say that something could not be read. Python's own decoder puts it there, if you ask it to;
# `help(bytes.decode)` says how.
#
# A single token may not be valid text either, even if the whole is. So join all bytes first, and decode them
# afterwards.


# %% step="decode" points=20
def decode(tokens, merges):
    """The text that tokens represent.

    Takes
        tokens: a list of whole numbers below 256 + the number of merges; it may be empty
        merges: a list of pairs, as train returns it; place i made token 256 + i

    Returns
        a text

    Rules
        For what encode returns, it is the text that was encoded, whatever its characters, spaces and line ends.
        Bytes that are no text in UTF-8 become U+FFFD, as Python's own decoder puts it.
        Both lists stay as they are.
    """
    ### BEGIN SOLUTION
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")
    ### END SOLUTION


# %% check="decode-by_hand" points=4 category="round trip"
"""The tokens 257 and 256 are abc and ab again."""
with tools.check("decode-by_hand"):
    tools.same(
        decode([257, 256], [(97, 98), (256, 99)]),
        "abcab",
        "the text",
        "Spell out 257 until only bytes are left. In which order are they?",
        show=True,
    )

# %% check="decode-several_bytes" points=4 category="several bytes"
"""The two bytes of é are one character again, whether they are two tokens or one."""
with tools.check("decode-several_bytes"):
    ask = "Is half of é a character?"
    tools.same(decode([195, 169], []), "é", "the text of 195 169", ask)
    tools.same(decode([99, 97, 102, 256], [(195, 169)]), "café", "the text of 99 97 102 256", ask)

# %% check="decode-half_a_letter" points=0 category="several bytes"
"""An invalid byte becomes U+FFFD, and the character next to it is still read."""
with tools.check("decode-half_a_letter"):
    tools.same(decode([195, 97], []), "\ufffda", "the text of 195 97", "What does your function do with invalid bytes?")

# %% check="decode-no_tokens" points=0 category="edge cases"
"""An empty list of tokens is an empty text."""
with tools.check("decode-no_tokens"):
    tools.same(decode([], [(97, 98)]), "", "the text of an empty list", "What does your function begin with?")

# %% check="decode-no_text" points=4 category="several bytes" hidden=true
"""Invalid bytes become U+FFFD, and the text around them is still read."""
letter = drawn_text(1, "bcdfgh")
ask = "What does your function do with invalid bytes?"
tools.same(decode([255, ord(letter)], []), f"\ufffd{letter}", "a byte that is never valid", ask)
tools.same(decode([ord(letter), 195], []), f"{letter}\ufffd", "half of a character at the end", ask)
tools.same(decode([256, ord(letter), 169], [(195, 40)]), f"\ufffd({letter}\ufffd", "halves of two characters", ask)
tools.same(decode([237, 160, 128, ord(letter)], []), f"\ufffd\ufffd\ufffd{letter}", "half of a pair of UTF-16", ask)
ask = "Which of the bytes next to the invalid ones belong together?"
tools.same(decode([255, 255, 256, 195, ord(letter)], [(195, 169)]), f"\ufffd\ufffdé\ufffd{letter}", "a whole character between invalid bytes", ask)
tools.same(decode([195, 169, 255], []), "é\ufffd", "a whole character next to an invalid byte", ask)
for letters in ("€", "🤗"):
    cut = list(letters.encode("utf-8"))[:-1]  # for Python the bytes that are left of a letter are one mistake
    tools.same(decode([*cut, ord(letter)], []), f"\ufffd{letter}", f"a character of {len(cut) + 1} bytes, cut short", "Call Python's own decoder with such bytes: how many replacement characters does it return?")
tokens = [257, 256, *drawn_tokens(60, ord(letter), 40, 194, 169, *"♥🤗".encode(), 237, 255, 256, 257)]
wanted = decoded_by_definition(tokens, [(226, 153), (256, 165)])
tools.same(decode(tokens, [(226, 153), (256, 165)]), wanted, "a list of random bytes", ask)

# %% check="decode-round_trip" points=4 category="round trip" hidden=true
"""An encoded text comes back, character by character, even if its tokens are made of sixty others."""
for letters, count in (("ab", 90), ("tokens ", 60), ("äöü€", 40), ("🤗🤔 ", 40)):
    text = "é" + drawn_text(count, letters) + 8 * letters  # é is two bytes, which no merge puts together
    merges, tokens = trained_by_definition(text, 16)
    tools.same(decode(tokens, merges), text, "the text", "Are the parts of a token always bytes?")
merges = [(97, 98), *((token, 97) for token in range(256, 316))]  # each token is made of the one before it
wanted = "ab" + 60 * "a"
tools.same(decode([316], merges), wanted, "the text of a token that is made of sixty others", "How often do you expand a token?")
for text in texts_of_all_kinds():
    merges, tokens = trained_by_definition(text, 3)
    tools.same(decode(tokens, merges), text, "a text of all kinds of characters", "What happens to the text after you decode it?")
text = drawn_text(1100, "abcdefgh\n")
tools.same(decode(list(text.encode("utf-8")), []), text, "a long text", "How far does your function get?")

# %% check="decode-nothing" points=2 category="edge cases" hidden=true
"""An empty list of tokens gives an empty text, and unused merges do no harm."""
letter = drawn_text(1, "bcdfgh")
tools.same(decode([], [(97, 98)]), "", "the text of an empty list", "What does your function begin with?")
tools.same(decode([ord(letter)], [(97, 98), (256, 256)]), letter, "a byte, with merges that it does not use")

# %% check="decode-inputs_unchanged" points=2 category="purity" hidden=true
"""The tokens and the merges stay as they are, and a second call gives the same answer."""
text = drawn_text(30, "ab") + 16 * "ab"
merges, tokens = trained_by_definition(text, 6)
with tools.unchanged(tokens=tokens, merges=merges):
    tools.same(decode(tokens, merges), text, "the first answer")
    tools.same(decode(tokens, merges), text, "the second answer", "Which list do you write into?")

# %% [markdown]
# ### Look: what texts cost in tokens
#
# You pay for a model by the token, and the number of tokens that it can read at once is limited. Your tokenizer has seen a few lines of
# English. What does it make of the same greeting in other languages? A character that it has never seen costs one
# token per byte. Which of these lines would be cheaper with a different training text?


# %%
@tools.demo
def who_pays_by_the_token():
    merges = train(8 * LINES + "hello, how are you? the weather is good today. ", 60)
    for line in ("the cat sat on the mat", "hello, how are you?", "hallo, wie geht es dir?", "γεια σου, τι κάνεις;", "你好吗？", "🤗🤗"):
        tokens = encode(line, merges)
        assert decode(tokens, merges) == line, f"{line!r} does not come back"
        print(f"{len(line):>2} characters, {len(tokens):>2} tokens, {len(tokens) / len(line):.1f} each: {line}")


# %% [markdown]
# ## Optional: explain who pays
#
# A person grades this one. It can add up to 4 points to the 100. Take two lines of the last scene that cost very
# differently for each character, and explain in a few sentences why.
#
# **Rubric**
#
# - 2 points: explains the difference by the bytes of the characters and by what the training text contained
# - 1 point: names a token of several characters that one of the lines uses, and why it was learned
# - 1 point: says which training text would make the dearer line cheaper, and what that costs the other one

# %% [markdown] manual="explain_who_pays" points=4 extra=true
# *Write your explanation here.*

# %% [markdown]
# ## Your score so far
#
# The results of the visible checks that you have run in this session. Before you hand in, restart the kernel and
# run everything, so that the count is up to date.

# %%
tools.summary()

# %% [markdown]
# ## Where to go from here
#
# Real tokenizers add two things to yours. Before they count, they cut the text into words, so that no token
# reaches across a space: look at how your `train` merges across spaces. And they have special tokens that no text
# can produce, to mark where a document begins and ends. What is left is speed: yours recounts all pairs after
# every merge. Which of the counts change when one pair is merged, and which stay the same? What a model does with
# your tokens begins in the notebook `attention`.


# %% oracles
"""What the docstrings promise about inputs: each line must occur in a check of its step, or have its reason below."""
from autograder.exercises.promises import lists, made, texts


def stands_at(tokens, pair):
    """The places where a pair stands."""
    return [place for place in range(len(tokens) - 1) if tuple(tokens[place : place + 2]) == tuple(pair)]


def pairs_left(text, merges):
    """How many pairs can be learned, at most one more than asked for."""
    return len(trained_by_definition(text, merges + 1)[0])


PROMISES = {
    "count_pairs": {
        **lists("tokens"),
        "three in a row": lambda tokens: any(len({*tokens[place : place + 3]}) == 1 for place in range(len(tokens) - 2)),
        "a pair in both orders": lambda tokens: any(
            one != other and stands_at(tokens, (other, one)) for one, other in zip(tokens, tokens[1:])
        ),
    },
    "merge_pair": {
        **lists("tokens"),
        "the pair does not occur": lambda tokens, pair: len(tokens) > 1 and not stands_at(tokens, pair),
        "the pair is at the beginning": lambda tokens, pair: 0 in stands_at(tokens, pair),
        "the pair is at the end": lambda tokens, pair: len(tokens) - 2 in stands_at(tokens, pair),
        "the pair occurs in both orders": lambda tokens, pair: stands_at(tokens, pair) and stands_at(tokens, pair[::-1]) and pair[0] != pair[1],
        "two equal ones, three in a row": lambda tokens, pair: any(place + 1 in stands_at(tokens, pair) for place in stands_at(tokens, pair)),
        "a 0 in the pair": lambda tokens, pair: 0 in pair and stands_at(tokens, pair),
        "a 0 that stays": lambda tokens, pair: 0 in tokens and 0 not in pair,
        "new is 0": lambda tokens, pair, new: new == 0 and stands_at(tokens, pair),
        "new is 2³¹ or more": lambda new: new >= 2**31,
        "new occurs already": lambda tokens, new: new in tokens,
        "new is one of the pair": lambda pair, new: new in pair,
        "a pair of large tokens": lambda tokens, pair: max(pair) > 255 and stands_at(tokens, pair),
    },
    "train": {
        **texts("text"),
        "no merges": lambda merges: merges == 0,
        "more merges than there are pairs": lambda text, merges: pairs_left(text, merges) < merges,
        "fewer merges than there are pairs": lambda text, merges: pairs_left(text, merges) > merges,
        "a pair of merged tokens": lambda text, merges: any(min(pair) > 255 for pair in trained_by_definition(text, merges)[0]),
        "more than 64 pairs": lambda text, merges: merges > 64 and len(trained_by_definition(text, merges)[0]) > 64,
        "a pair that is most frequent across a space": lambda text, merges: any(
            32 in pair and {*pair} != {32} for pair in trained_by_definition(text, merges)[0]
        ),
    },
    "encode": {
        **texts("text"),
        "no merges": lambda merges: not merges,
        "a pair that does not occur": lambda text, merges: any(
            256 + place not in encoded_by_definition(text, merges) for place in range(len(merges))
        ),
        "more than 64 merges": lambda merges: len(merges) > 64,
        "another text than that of training": lambda text, merges: trained_by_definition(text, len(merges))[0] != list(merges),
        "a pair of merged tokens": lambda merges: any(min(pair) > 255 for pair in merges),
    },
    "decode": {
        "no tokens": lambda tokens: not tokens,
        "no merges": lambda merges: not merges,
        "a token of merged tokens": lambda tokens, merges: any(token > 255 and min(merges[token - 256]) > 255 for token in tokens),
        "bytes that are no text": lambda tokens, merges: "\ufffd" in decoded_by_definition(tokens, merges),
        "a character in several tokens": lambda tokens: any(127 < token < 256 for token in tokens),
        "a token above 300": lambda tokens: any(token > 300 for token in tokens),
        **made(texts("text"), text=decoded_by_definition),
    },
}
