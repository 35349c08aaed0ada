"""A: the harness. What works where checks run beside student code; here there is nothing to take
hold of."""

from tests.support.attacks.attack import attack, read

read("tampering")

attack("A27-swallowed-assertion", "swallow the check's assertion inside of a function that the check handed over",
       apply="""
    def apply(function, x):
        try:
            function(x[:1])
        except BaseException:
            pass
        return x + x
    """, baseline={"apply": "def apply(function, x): return function(x[:1])"})  # fmt: skip
