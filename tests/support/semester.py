"""A semester of forty students: who hands in what and when, and what that is worth by the rules.

Nothing of the kit is asked here. What an answer earns is a table, and the rules are a few lines, as
a teacher would work them out on paper. The exercises lie in ``last_year/``.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

BERLIN = ZoneInfo("Europe/Berlin")
DUE = {
    "sums": datetime(2025, 10, 10, 18, tzinfo=BERLIN),
    # The clocks have been changed since.
    "spreads": datetime(2025, 11, 7, 18, tzinfo=BERLIN),
    "lengths": datetime(2025, 12, 5, 18, tzinfo=BERLIN),
}
WEIGHTS = {"sums": 1, "spreads": 2, "lengths": 1}
FOR_EVER = datetime.max.replace(tzinfo=BERLIN)

FIRST_NAMES = ("Ada", "Bob", "Cyd", "Dan", "Eve", "Fay", "Gus", "Hal")
LAST_NAMES = ("Ash", "Birch", "Cedar", "Elm", "Fir")
GROUPS = ("north", "south", "west")

POINTS = {
    "sums": {"double-by_hand": 2, "double-drawn": 3, "total-by_hand": 2, "total-tenths": 3},
    "spreads": {"centre-by_hand": 2, "centre-drawn": 3, "spread-by_hand": 2, "spread-drawn": 3},
    "lengths": {"dot-by_hand": 2, "dot-signs": 3, "length-by_hand": 2, "length-drawn": 3},
}
MOST = {"sums": 14, "spreads": 14, "lengths": 10}
"""What can be had; the question of ``lengths`` comes on top."""

BOTH, NONE = ("by_hand", "drawn", "tenths", "signs"), ()
EASY = ("by_hand",)

ANSWERS: Mapping[str, Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "double": {
        "right": ("return 2 * np.asarray(x)", BOTH),
        "tripled": ("return 3 * np.asarray(x)", NONE),
        "rounded": ("return np.round(2 * np.asarray(x))", EASY),
    },
    "total": {
        "right": ("import math\n    return math.fsum(x)", BOTH),
        "in a loop": ("t = 0.0\n    for v in x:\n        t += v\n    return t", EASY),
        "absolute": ("import math\n    return math.fsum(map(abs, x))", BOTH),
    },
    "centre": {
        "right": ("return np.asarray(x) - np.mean(x)", BOTH),
        "from the first": ("return np.asarray(x) - x[0]", NONE),
    },
    "spread": {
        "right": ("return float(np.var(x))", BOTH),
        "by centre": ("return float(np.mean(centre(x) ** 2))", BOTH),
        "range": ("return float(np.max(x) - np.min(x))", NONE),
    },
    "dot": {
        "right": ("return float(np.dot(x, y))", BOTH),
        "absolute": ("return float(np.dot(np.abs(x), np.abs(y)))", EASY),
    },
    "length": {
        "right": ("return float(np.sqrt(np.sum(np.asarray(x) ** 2)))", BOTH),
        "squared": ("return float(np.sum(np.asarray(x) ** 2))", EASY),
    },
}
"""Each answer to a step, and the checks that it passes; of those who write nothing, none."""

MENDED = {"in a loop": BOTH, "absolute": ("tenths",)}
"""What other answers to ``total`` pass when its checks have been changed."""

STEPS = {"sums": ("double", "total"), "spreads": ("centre", "spread"), "lengths": ("dot", "length")}
BLANK = "blank"

WORDS = {"": 0.0, "It must be so.": 0.5, "I tried it with three numbers.": 1.5, "By a proof.": 2.0}
"""What a person gives for an answer in words."""

MINUTES = (-6000, -2500, -600, -61, -1, 9, 14, 16, 700, 1430, 1460, 2950)
"""When people hand in, from the due date."""


@dataclass(frozen=True)
class Work:
    """One file that was handed in.

    ``kinds`` are the answers to both steps, ``words`` that to the question. ``draft`` makes files
    with the same answers different ones.
    """

    time: datetime
    kinds: tuple[str, str]
    words: str = ""
    draft: int = 0
    is_broken: bool = False

    def file(self, exercise: str, release: bytes) -> bytes:
        """The released notebook with these answers typed in."""
        if self.is_broken:
            return release[: len(release) // 2]
        typed = {"why": self.words} if self.words else {}
        notebook = json.loads(release)
        for step, kind in zip(STEPS[exercise], self.kinds):
            if kind != BLANK:
                head = "x, y" if step == "dot" else "x"
                typed[step] = f"def {step}({head}):\n    {ANSWERS[step][kind][0]}\n"
        for cell in notebook["cells"]:
            cell["source"] = typed.get(cell["id"], cell["source"])
        notebook["metadata"]["draft"] = self.draft
        return json.dumps(notebook).encode()


def at(exercise: str, minutes: int) -> datetime:
    """So many minutes after an exercise is due."""
    return DUE[exercise] + timedelta(minutes=minutes)


def name_of(number: int) -> str:
    return f"{FIRST_NAMES[number % 8]} {LAST_NAMES[number % 5]}"


def drawn_works(seed: int, students: Iterable[str]) -> dict[tuple[str, str], list[Work]]:
    """What everybody hands in, by student and exercise, each in the order of time."""
    draw = random.Random(seed)
    found = {}
    for student in students:
        for exercise, steps in STEPS.items():
            works = []
            number = draw.choices(range(4), (1, 6, 3, 1))[0]
            for draft, minutes in enumerate(sorted(draw.sample(MINUTES, number))):
                first, second = (draw.choice([*ANSWERS[step], BLANK]) for step in steps)
                words = draw.choice(list(WORDS))
                works.append(Work(at(exercise, minutes), (first, second), words, draft))
            found[student, exercise] = works
    return found


@dataclass
class Term:
    """What has happened, and what follows from it.

    ``until`` is who has time until when, by student and exercise, as the teacher meant it.
    ``marks`` are points that a person gave for a check, ``extra`` extra credit, both by student and
    exercise.
    """

    works: dict[tuple[str, str], list[Work]]
    until: dict[tuple[str, str], datetime] = field(default_factory=dict)
    marks: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    extra: dict[tuple[str, str], float] = field(default_factory=dict)
    mended_at: datetime = FOR_EVER
    """When the checks of ``total`` were changed; nobody loses points of an earlier file."""
    void: tuple[str, ...] = ()
    """Checks that everybody has."""

    def counted(self, student: str, exercise: str) -> Work | None:
        """The submission that counts: the last one, in ``lengths`` the best one."""
        works = self.works[student, exercise]
        if not works or exercise != "lengths":
            return works[-1] if works else None

        def worth(work: Work) -> float:
            if work.is_broken:
                return -1
            score = sum(self.checks(exercise, work).values())
            return score - taken(exercise, score, self.minutes_late(student, exercise, work))

        return max(works, key=lambda work: (round(worth(work), 9), work.time))

    def checks(self, exercise: str, work: Work) -> dict[str, float]:
        """What the checks give for a file."""
        now = earned(exercise, work, self.mended_at < FOR_EVER)
        if work.time < self.mended_at < FOR_EVER:
            then = earned(exercise, work, False)
            now = {check: max(points, then[check]) for check, points in now.items()}
        return now | {check: POINTS[exercise][check] for check in self.void if check in now}

    def minutes_late(self, student: str, exercise: str, work: Work) -> float:
        """From the student's own deadline; of the same file the first time counts."""
        same = [one for one in self.works[student, exercise] if one.draft == work.draft]
        first = min(one.time for one in same)
        until = max(DUE[exercise], self.until.get((student, exercise), DUE[exercise]))
        return max(0.0, (first - until).total_seconds() / 60)

    def automatic(self, student: str, exercise: str) -> float | None:
        """The points of the checks; None where there are none."""
        work = self.counted(student, exercise)
        if work is None or work.is_broken:
            return None
        return sum(self.checks(exercise, work).values())

    def before_penalty(self, student: str, exercise: str) -> float | None:
        """With what a person gave."""
        work = self.counted(student, exercise)
        if work is None or work.is_broken:
            return None
        cells = self.checks(exercise, work) | self.marks.get((student, exercise), {})
        return sum(cells.values()) + WORDS[work.words] + self.extra.get((student, exercise), 0)

    def penalty(self, student: str, exercise: str) -> float:
        work, score = self.counted(student, exercise), self.before_penalty(student, exercise)
        if work is None or score is None:
            return 0.0
        return taken(exercise, score, self.minutes_late(student, exercise, work))

    def final(self, student: str, exercise: str) -> float | None:
        """The final score; None without a submission that can be graded."""
        score = self.before_penalty(student, exercise)
        return None if score is None else round(score - self.penalty(student, exercise), 6)

    def total(self, student: str, missing_as_zero: bool = False) -> float | None:
        """What the exercises give together, of 100, by their weights; None while one has no score.

        Nothing handed in may count as 0, but not for somebody who may still hand in.
        """
        shares = 0.0
        for exercise, weight in WEIGHTS.items():
            score = self.final(student, exercise)
            has_time = self.until.get((student, exercise)) == FOR_EVER
            if missing_as_zero and not self.works[student, exercise] and not has_time:
                score = 0
            if score is None:
                return None
            shares += weight * score / MOST[exercise]
        return 100 * shares / sum(WEIGHTS.values())


def earned(exercise: str, work: Work, is_mended: bool) -> dict[str, float]:
    """What each check gives by the table."""
    first, second = work.kinds
    points: dict[str, float] = {}
    for check, most in POINTS[exercise].items():
        step, _, name = check.partition("-")
        kind = first if step == STEPS[exercise][0] else second
        passed = () if kind == BLANK else ANSWERS[step][kind][1]
        if is_mended and step == "total":
            passed = MENDED.get(kind, passed)
        points[check] = most if name in passed else 0.0
        # What only suffers from the step before keeps half, or a quarter where that was not tried.
        if kind == "by centre" and first != "right":
            points[check] = most * (0.25 if first == BLANK else 0.5)
    return points


def taken(exercise: str, score: float, minutes: float) -> float:
    """What lateness costs."""
    grace = 0 if exercise == "lengths" else 15
    if minutes <= grace:
        return 0.0
    if exercise == "spreads":
        return score
    days = math.ceil((minutes - grace) / (24 * 60))
    return min(score, days * (2 if exercise == "lengths" else score / 10))
