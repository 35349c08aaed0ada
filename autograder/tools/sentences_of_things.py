"""What is said of lists, dictionaries and texts that are related to the right ones."""

# As the sentences of arrays, in the order in which they are preferred.
OF_THINGS = {
    "first_missing": "{your} lacks the first of what is asked for. Where do you begin?",
    "last_missing": "{your} lacks the last of what is asked for. Where do you stop?",
    "doubled": "{your} holds everything twice. Which line adds it a second time?",
    "constant_values": (
        "{your} has the same number for every key. What in your code should make one larger than "
        "another?"
    ),
    "keys_and_values_swapped": (
        "{your} has keys and values in each other's place. Which of the two do you look things up"
        " by?"
    ),
    "keys_of_other_type": (
        "{your} has keys of another type or length than those asked for. What does one of yours "
        "hold?"
    ),
    "values_of_other_type": (
        "{your} looks right when printed, but holds another type. Which type is asked for?"
    ),
    "upper_or_lower": (
        "{your} is right but for capital letters. Which of them does your code change?"
    ),
    "spaces": "{your} is right but for spaces and ends of lines. Where do they come from?",
    "one_number": "{your} is a single number. Which shape does the docstring promise?",
    "not_added_up": (
        "{your} holds the terms of the right one, not yet added up. Which axis should be gone at "
        "the end?"
    ),
    "one_for_several": (
        "{your} is a single thing, and several are asked for. How many results does the docstring"
        " promise?"
    ),
    "something_missing": (
        "{your} is right but for what it lacks. Which case does your code pass over?"
    ),
    "something_too_much": (
        "{your} holds all that is right, and more. Which case should your code pass over?"
    ),
    "counted_too_little": (
        "{your} has no number that is too large, but some are too small or missing. Which of those"
        " that count does your code pass over?"
    ),
    "counted_too_much": (
        "{your} has no number that is too small, but some are too large, or should not be there. "
        "What does your code count that should not count?"
    ),
    "one_element": (
        "{your} is the {what} of the right one's elements, alone. Where do the others stay?"
    ),
    "in_a_list": "{your} is the right one inside of a list or tuple. What do you wrap it in?",
    "parts_of_other_type": (
        "{your} holds things of another type than those asked for. What should each of them be?"
    ),
    "other_type": (
        "{your} is of another type than is asked for. Which type does the docstring promise?"
    ),
}
