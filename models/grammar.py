"""The little language that the models learn: what it can say, and what is kept from them.

A text is a row of items, each of 18 words: a sentence, a question about it, and the answer.

    the cat sat on the mat because it was soft . what was soft ? the mat .

Which noun "it" means depends on one word alone: animals are tired, things are soft. Nothing else
tells them apart, for either may come first (the mat was under the cat because it was soft).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

ANIMALS = "cat dog bird mouse horse cow fox pig hen goat duck frog".split()
THINGS = "mat rug bed sofa chair bench table box wall roof stone shelf".split()
OF_ANIMALS = "tired hungry sleepy lazy happy ill bored afraid".split()
OF_THINGS = "soft flat wide smooth dry clean wooden empty".split()
VERBS = "sat lay slept stood rested was".split()
PLACES = "on under near behind".split()
WORDS = [
    *"the because it was . what ?".split(),
    *(word for word in (*VERBS, *PLACES) if word != "was"),
    *(*ANIMALS, *THINGS, *OF_ANIMALS, *OF_THINGS),
]

ITEM = 18
"""Words of an item."""
FIRST, SECOND = 1, 5
"""Where its two nouns stand."""
IT = 7
ADJECTIVE = 9
ASKED = 15
"""Where the answer is asked for: the word that stands before it."""


@dataclass(frozen=True)
class Item:
    """A sentence, a question about it, and the answer; ``meant`` is where the noun stands."""

    words: tuple[str, ...]
    meant: int


def item(first: str, verb: str, place: str, second: str, adjective: str) -> Item:
    """The item in which the adjective is said of one of two nouns, an animal and a thing."""
    kind = ANIMALS if adjective in OF_ANIMALS else THINGS
    noun = first if first in kind else second
    text = (
        f"the {first} {verb} {place} the {second} because it was {adjective} . "
        f"what was {adjective} ? the {noun} ."
    )
    return Item(tuple(text.split()), FIRST if noun == first else SECOND)


def is_kept(animal: str, thing: str, adjective: str) -> bool:
    """Whether no training text may have an item of these words.

    It may have none with this animal beside this thing, and none with this adjective of that noun.
    """
    animals, things = ANIMALS.index(animal), THINGS.index(thing)
    of_animals = adjective in OF_ANIMALS
    noun = animals if of_animals else things
    said = (OF_ANIMALS if of_animals else OF_THINGS).index(adjective)
    return (animals + things) % 5 == 0 or (noun + said) % 5 == 0


def is_new(animal: str, thing: str, adjective: str) -> bool:
    """Whether all of it is new: these two nouns together, and the adjective of its noun."""
    animals, things = ANIMALS.index(animal), THINGS.index(thing)
    of_animals = adjective in OF_ANIMALS
    noun = animals if of_animals else things
    said = (OF_ANIMALS if of_animals else OF_THINGS).index(adjective)
    return (animals + things) % 5 == 0 and (noun + said) % 5 == 0


def training_items(random: Random) -> Iterator[Item]:
    """Items to learn from, without end."""
    while True:
        animal, thing = random.choice(ANIMALS), random.choice(THINGS)
        adjective = random.choice(OF_ANIMALS + OF_THINGS)
        if not is_kept(animal, thing, adjective):
            nouns = [animal, thing]
            random.shuffle(nouns)
            yield item(nouns[0], random.choice(VERBS), random.choice(PLACES), nouns[1], adjective)


def unseen_items(count: int, random: Random) -> list[Item]:
    """Different items of which every combination of words is new."""
    found = []
    for animal, thing in product(ANIMALS, THINGS):
        for adjective in (*OF_ANIMALS, *OF_THINGS):
            if is_new(animal, thing, adjective):
                for first, second in ((animal, thing), (thing, animal)):
                    for verb, place in product(VERBS, PLACES):
                        found.append(item(first, verb, place, second, adjective))
    return random.sample(found, count)
