"""What the text of an exception says of the mistake behind it."""

import re
from collections.abc import Sequence
from typing import TypeAlias

Kinds: TypeAlias = tuple[tuple[str, str, str], ...]
"""Of exceptions: a name, a pattern that their texts have, and what is said."""

# fmt: off
EXACT: Kinds = (
    ("mask_of_other_shape", r"boolean index did not match",
     "A mask in your code has not the shape of what it selects from. What could stretch it to "
     "that shape?"),
    ("no_plain_value", r"^CannotCross",
     "Your function returns something that is no plain array, number or list. Of which type is "
     "it, and which type does the docstring promise?"),
    ("axes_left_over", r"no '\.\.\.' ellipsis provided",
     "An einsum of yours meets axes that it does not name and that its output does not keep. "
     "Print the shapes that it gets: what should become of the axes in front?"),
    ("fixed_number_of_axes", r"values to unpack|tuple index out of range|axes don't match array|"
     r"out of bounds for array of dimension|einstein sum subscripts|einsum|too many indices|"
     r"axis .* out of bounds|invalid axis|invalid index to scalar|number of dimensions",
     "Your code counts on a number of axes that is not always there. How many may an argument "
     "have, and from which end can you count them?"),
    ("several_for_one", r"setting an array element with a sequence|inhomogeneous shape",
     "An array is made of parts of different shapes. Print the shape of each: should they be one "
     "array, or does one of them hold several things?"),
    ("joined_of_other_shapes", r"must have the same shape|concatenation axis must match",
     "Your code joins arrays of different shapes. Must they become one array, and along which axis "
     "do they fit?"),
    ("array_for_a_number", r"arrays can be converted to Python scalars",
     "A function that takes a single number gets a whole array. Which one takes arrays, or what "
     "should your loop go over?"),
    ("truth_of_an_array", r"truth value of an array",
     "Your code asks whether a whole array is true. What do you want to know about it?"),
    ("uneven_parts", r"equal division|cannot reshape array",
     "Your code cuts an axis into parts that do not come out even, or reshapes to another size. "
     "Which axis should be cut, and how long is it?"),
    ("computes_with_none", r"NoneType",
     "Your code computes with None. Which argument may be left out, or which of your functions "
     "returns nothing?"),
    ("beyond_the_end", r"index out of range|out of bounds for axis",
     "Your code uses an index that is too large. Print it, and the length of the axis or list that "
     "it goes into: where does the index come from, and is it meant for that axis?"),
    ("divides_by_zero", r"ZeroDivisionError|sum to zero",
     "Your code divides by 0. Which arguments make that divisor 0, and is the division needed for "
     "them?"),
    ("out_of_memory", r"MemoryError|Unable to allocate|array is too big|dimension size exceeded",
     "Your code asks for more memory than there is. Which of your arrays or lists grows with the "
     "size of a number, and not with how many there are?"),
    ("key_missing", r"KeyError",
     "Your code looks up a key that is not there. Print it, and the keys that are: should it be "
     "one of them by now, or is this the first time that it is met?"),
    ("nothing_to_choose_from", r"empty sequence|iterable argument is empty|zero-size array",
     "Your code asks for the largest or smallest of nothing. Which input leaves nothing?"),
    ("no_value_yet", r"UnboundLocalError",
     "A name in your code is used before it has a value. On which way through the function does "
     "it get none?"),
    ("too_large_for_a_byte", r"range\(0, 256\)",
     "A number that is no byte is taken for one. Which of your numbers stand for something else, "
     "and for what?"),
    ("too_large_for_its_type", r"Python int(eger)? .*(too large|out of bounds)|int too large|"
     r"chr\(\) arg not in range",
     "A number in your code is too large for the function or array that it goes into. Print it: "
     "does the docstring limit how large it may be?"),
    ("endless_recursion", r"RecursionError",
     "Your function calls itself again and again. In which case should it stop, and does it get "
     "there?"),
    ("broken_bytes", r"UnicodeDecodeError|UnicodeEncodeError",
     "Your code meets bytes or letters that its rule cannot read. What does the docstring say of "
     "them?"),
    ("waits_for_typing", r"^EOFError",
     "Your code waits for somebody to type. Nobody does while the checks run: which argument "
     "brings what it asks for?"),
    ("opens_a_file", r"FileNotFoundError|IsADirectoryError|Permission denied|Read-only file system",
     "Your code opens a file that is not there, or not for it, when the checks run. Which "
     "argument brings what it looks for?"),
    ("reaches_outside", r"can't start new thread|Operation not permitted|urlopen error",
     "Your code starts a thread or a program, or asks a network, and checks allow none of these. "
     "What can it do with its arguments alone?"),
    ("own_assertion", r"^AssertionError",
     "Your code insists on something that is not always so. Of which arguments is it untrue, and "
     "what does the docstring say of these?"),
    ("value_for_a_function", r"object is not callable",
     "Your code calls a name that stands for a value, and no function. Which line, perhaps in a "
     "cell that you added, gave it another value?"),
    ("types_do_not_fit", r"unsupported operand|can only concatenate|not subscriptable|not iterable|"
     r"not supported between|must be str|a bytes-like object",
     "Two values in your code are of types that do not go together. Of which type is each, and "
     "of which should it be?"),
    ("whole_number_needed", r"cannot be interpreted as an integer|must be integers|only integer",
     "A number that counts or says a length must be whole. Which of your divisions gives another "
     "kind?"),
    ("not_hashable", r"unhashable",
     "A list or an array cannot be a key or lie in a set. What can stand for it there?"),
    ("name_missing", r"name '.*' is not defined",
     "Your code uses a name before anything has defined it. Where should it come from?"),
    ("attribute_missing", r"has no attribute",
     "Your code asks something of a value that such values do not have. Of which type is it, and "
     "of which should it be?"),
    ("wrong_number_of_arguments", r"positional argument|unexpected keyword|required argument",
     "A function is called with other arguments than it takes. Which ones does its docstring "
     "name?"),
)
"""By the text of an exception: what it says of a mistake."""

SHARED_BY_MISTAKES: Kinds = (
    ("shapes_do_not_fit", r"broadcast|matmul:|not aligned|mismatch|must match|same shape",
     "Two arrays in your code do not fit each other. Print their shapes before they meet: what is "
     "each axis for, and which of them should be equally long?"),
)
"""The same, where several mistakes end so."""
# fmt: on


def said_by(texts: Sequence[str], kinds: Kinds) -> tuple[str, str] | None:
    """The name of the kind that all of these exceptions are of, and a sentence."""
    for name, pattern, sentence in kinds:
        if texts and all(re.search(pattern, text) for text in texts):
            return name, sentence
    return None
