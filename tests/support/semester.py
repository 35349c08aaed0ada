"""A semester of thirty students: who hands in what and when, and what that is worth by the rules.

Nothing of the kit is asked here. What an answer earns is a table, and the rules are a few lines, as
a teacher would work them out on paper. The exercises lie in ``last_year/``.
"""

import json
import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

DUE = {
    # In the night in which New York changes its clocks, before it does.
    "sums": datetime(2025, 11, 2, 0, 30),
    "spreads": datetime(2025, 11, 7, 18),
    "lengths": datetime(2025, 12, 5, 18),
}
"""On the wall of wherever the course is: no zone is named."""

NAMES = (
    ("Ada", "Bob", "Cyd", "Dan", "Eve"),
    ("Ash", "Birch", "Cedar", "Elm", "Fir", "Gorse", "Hazel"),
)
GROUPS = ("north", "south", "west")
ODD_IDS = ("007", "ann@school.example", "plus+one", "B.a-r_2", "0012")

POINTS = {
    "sums": {"double-by_hand": 2, "double-drawn": 3, "total-by_hand": 2, "total-tenths": 3},
    "spreads": {"centre-by_hand": 2, "centre-drawn": 3, "spread-by_hand": 2, "spread-drawn": 3},
    "lengths": {"dot-by_hand": 2, "dot-signs": 3, "length-by_hand": 2, "length-drawn": 3},
}

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

Key = tuple[str, str]
"""A student and an exercise."""


@dataclass(frozen=True)
class Work:
    """One file that was handed in.

    ``kinds`` are the answers to both steps, ``words`` that to the question. ``draft`` makes files
    with the same answers different ones; the same one is the same file again. ``time`` has its zone,
    unless it is what a learning platform wrote down.
    """

    time: datetime
    kinds: tuple[str, str]
    words: str = ""
    draft: int = 0
    is_broken: bool = False

    def file(self, exercise: str, release: bytes) -> bytes:
        """The released notebook with these answers typed in."""
        if self.is_broken:
            return release[: len(release) // 2 + self.draft]
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


def name_of(number: int) -> str:
    return f"{NAMES[0][number % 5]} {NAMES[1][number % 7]}"


def drawn_works(seed: int, students: list[str], zone: str) -> dict[Key, list[Work]]:
    """What everybody hands in, each in the order of time; two in five hand in again."""
    draw = random.Random(seed)
    found = {}
    for student in students:
        for exercise, steps in STEPS.items():
            works: list[Work] = []
            number = draw.choices(range(4), (1, 5, 3, 1))[0]
            for draft, minutes in enumerate(sorted(draw.sample(MINUTES, number))):
                time = DUE[exercise]
                if exercise != "spreads":
                    time = time.replace(tzinfo=ZoneInfo(zone)).astimezone(ZoneInfo("UTC"))
                time += timedelta(minutes=minutes)
                first, second = (draw.choice([*ANSWERS[step], BLANK]) for step in steps)
                work = Work(time, (first, second), draw.choice(list(WORDS)), draft)
                if works and draw.random() < 0.15:
                    work = Work(time, ("", ""), "", draft, is_broken=True)
                elif works and draw.random() < 0.15:
                    old = works[-1]
                    work = Work(time, old.kinds, old.words, old.draft, old.is_broken)
                works.append(work)
            found[student, exercise] = works
    return found


@dataclass
class Term:
    """What has happened, how the teacher has set the rules, and what follows from it."""

    counts: str
    zone: str = "America/New_York"
    weights: dict[str, float] = field(default_factory=lambda: dict.fromkeys(DUE, 1.0))
    arrived: dict[Key, list[Work]] = field(default_factory=dict)
    """The files that have been collected."""
    until: list[tuple[str, str, datetime | None]] = field(default_factory=list)
    """More time for a student: in an exercise or all, until then or for ever."""
    given: dict[Key, timedelta] = field(default_factory=dict)
    """More time that was given in nbgrader."""
    marks: dict[tuple[str, str, str, str], float] = field(default_factory=dict)
    """A person's points for a check, by student, exercise, check and answer."""
    extra: dict[tuple[str, str, str], float] = field(default_factory=dict)
    """Extra credit, by student, exercise and answer in words."""
    read: set[tuple[str, str, str]] = field(default_factory=set)
    """Answers in words for which a person has given points, by student and exercise."""
    is_mended: bool = False
    """Whether the checks of ``total`` are the later ones."""
    kept: dict[tuple[str, str, int], dict[str, float]] = field(default_factory=dict)
    """What the checks of a file gave before; it earns no less by them."""
    void: set[str] = field(default_factory=set)
    """Checks that everybody has."""
    most: dict[str, float] = field(
        default_factory=lambda: {"sums": 14, "spreads": 14, "lengths": 10}
    )
    """The question of ``lengths`` comes on top."""

    def instant(self, time: datetime) -> datetime:
        return time if time.tzinfo else time.replace(tzinfo=ZoneInfo(self.zone))

    def deadline(self, student: str, exercise: str) -> datetime | None:
        """The latest of all that hold for a student; None for ever."""
        due = self.instant(DUE[exercise]).astimezone(ZoneInfo("UTC"))
        times = [due, due + self.given.get((student, exercise), timedelta())]
        for who, which, until in self.until:
            if who == student and which in (exercise, ""):
                if until is None:
                    return None
                times.append(self.instant(until))
        return max(times)

    def first(self, student: str, exercise: str, work: Work) -> datetime:
        """Of the same file the first time counts."""
        same = [one.time for one in self.arrived[student, exercise] if one.draft == work.draft]
        return min(map(self.instant, same))

    def taken(self, student: str, exercise: str, work: Work, score: float) -> float:
        """What lateness costs."""
        deadline = self.deadline(student, exercise)
        if deadline is None:
            return 0.0
        minutes = (self.first(student, exercise, work) - deadline).total_seconds() / 60
        minutes -= 0 if exercise == "lengths" else 15
        if minutes <= 0:
            return 0.0
        if exercise == "spreads":
            return score
        return min(score, math.ceil(minutes / 1440) * (2 if exercise == "lengths" else score / 10))

    def counted(self, student: str, exercise: str) -> Work | None:
        """The last submission, or the one with the best final score."""
        works = self.arrived.get((student, exercise), [])
        if self.counts == "last":
            return max(works, key=lambda work: self.instant(work.time), default=None)

        def known(words: str) -> bool:
            return not words or (student, exercise, words) in self.read

        # What nobody has read yet counts like the best answer that somebody has.
        best = max((WORDS[one.words] for one in works if known(one.words)), default=0.0)

        def worth(work: Work) -> tuple[float, datetime]:
            score = -1.0
            if not work.is_broken:
                said = WORDS[work.words] if known(work.words) else best
                score = self.cells(student, exercise, work) + said
                score -= self.taken(student, exercise, work, score)
            return round(score, 9), self.first(student, exercise, work)

        return max(works, key=worth, default=None)

    def cells(self, student: str, exercise: str, work: Work) -> float:
        """What a file earns, its answer in words apart, with what a person gave for its answers."""
        cells = self.checks(student, exercise, work)
        for check in cells:
            kind = work.kinds[STEPS[exercise].index(check.partition("-")[0])]
            cells[check] = self.marks.get((student, exercise, check, kind), cells[check])
        return sum(cells.values()) + self.extra.get((student, exercise, work.words), 0.0)

    def checks(self, student: str, exercise: str, work: Work) -> dict[str, float]:
        """What the checks give for a file."""
        points: dict[str, float] = {}
        kept = self.kept.get((student, exercise, work.draft), {})
        for check, most in POINTS[exercise].items():
            step, _, name = check.partition("-")
            kind = work.kinds[STEPS[exercise].index(step)]
            passed = () if kind == BLANK else ANSWERS[step][kind][1]
            if self.is_mended and step == "total":
                passed = MENDED.get(kind, passed)
            points[check] = most if name in passed or check in self.void else 0.0
            # What only suffers from the step before keeps half, or a quarter where that was not
            # tried.
            if kind == "by centre" and work.kinds[0] != "right":
                points[check] = most * (0.25 if work.kinds[0] == BLANK else 0.5)
            points[check] = max(points[check], kept.get(check, 0.0))
        return points

    def automatic(self, student: str, exercise: str) -> float | None:
        """The points of the checks; None where there are none."""
        work = self.counted(student, exercise)
        if work is None or work.is_broken:
            return None
        return sum(self.checks(student, exercise, work).values())

    def before_penalty(self, student: str, exercise: str) -> float | None:
        work = self.counted(student, exercise)
        if work is None or work.is_broken:
            return None
        return self.cells(student, exercise, work) + WORDS[work.words]

    def penalty(self, student: str, exercise: str) -> float:
        work, score = self.counted(student, exercise), self.before_penalty(student, exercise)
        return 0.0 if work is None or score is None else self.taken(student, exercise, work, score)

    def final(self, student: str, exercise: str, missing_as_zero: bool = False) -> float | None:
        """The final score; None without a submission that can be graded.

        Nothing handed in may count as 0, but not for somebody who may still hand in.
        """
        score = self.before_penalty(student, exercise)
        if score is not None:
            return round(score - self.penalty(student, exercise), 6)
        is_missing = not self.arrived.get((student, exercise))
        has_time = self.deadline(student, exercise) is None
        return 0.0 if missing_as_zero and is_missing and not has_time else None

    def total(self, student: str, exercises: list[str], missing_as_zero: bool) -> float | None:
        """What the exercises give together, of 100, by their weights; None while one has no score."""
        shares = 0.0
        for exercise in exercises:
            score = self.final(student, exercise, missing_as_zero)
            if score is None:
                return None
            shares += self.weights[exercise] * score / self.most[exercise]
        return 100 * shares / sum(self.weights[exercise] for exercise in exercises)
