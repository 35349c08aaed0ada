"""What is said of an answer that is related to the right one."""

# In the order in which they are preferred. {your} is "your answer", or a part of it; {what} is what
# the relation names.
SENTENCES = {
    "nothing_returned": "{your} is None. How does your function end?",
    "other_order_of_parts": (
        "The parts of your answer are right, but stand in another order. Which one comes first?"
    ),
    "shapes_in_other_order": (
        "The parts of your answer have the shapes of the right ones in another order. Which one "
        "comes first?"
    ),
    "one_part_missing": "Your answer is {what} alone. How many results does the docstring promise?",
    "parts_missing": (
        "{your} has right parts, but not all. How many results does the docstring promise?"
    ),
    "parts_too_many": (
        "{your} begins with the right parts, but has more. How many results does the docstring "
        "promise?"
    ),
    "parts_added": "The right answer is {what}. What is it that you return beside it?",
    "part_repeated": (
        "Your answer holds {what} of what is asked for twice. Which result belongs in the other "
        "place?"
    ),
    "parts_mixed": (
        "Each wrong part of your answer is the right one plus another part. What goes into each of "
        "them?"
    ),
    "argument_handed_back": "{your} is {what}, unchanged. Which line makes something new of it?",
    "argument_turned": (
        "{your} is {what}, with its axes in another order. Which line makes something new of it?"
    ),
    "argument_reshaped": (
        "{your} is {what} in another shape, its numbers still in their old order. Which axes must"
        " change places before any of them merge, or after one is cut?"
    ),
    "argument_merged": "{your} is {what}. What should become of that axis instead?",
    "argument_cut": (
        "{your} is the beginning of {what}, unchanged. Which line makes something new of it?"
    ),
    "argument_repeated": "{your} is {what}, repeated. What should each of the copies be instead?",
    "function_of_argument": (
        "{your} is {what}, and nothing else. What is missing on the way to what is asked for?"
    ),
    "selected": (
        "{your} holds only what {what} lets through, in one row. Which shape does the docstring "
        "promise?"
    ),
    "multiplied_again": (
        "{your} is the right one, multiplied by {what} once more. How often does your code use it?"
    ),
    "numbers_for_truth": (
        "{your} has one number where True is right and another where False is. Which two values "
        "are asked for?"
    ),
    "places_for_truth": (
        "{your} counts or numbers the entries that should be True. Which two values are asked for?"
    ),
    "constant": (
        "{your} is the same number everywhere. What in your code should tell its entries apart?"
    ),
    "complemented": (
        "{your} says True where False is right, and False where True is. What does True mean here?"
    ),
    "negated": "{your} has every sign turned. Which difference do you take the other way round?",
    "taken_from_one": "{your} is 1 minus the right one. What is asked for by itself?",
    "transposed": (
        "{your} is the right one with its last two axes exchanged. What should a row of it stand "
        "for?"
    ),
    "reversed": (
        "{your} is the right one in reverse order along {what}. From which end do you count?"
    ),
    "sorted": "{your} holds the right things, but sorted. Which order is asked for?",
    "rolled": "{your} is the right one, rolled by one along {what}. At which number do you begin?",
    "moved_by_one": (
        "{your} is the right one, moved by one place along {what}. Is the entry at your boundary "
        "included, or not?"
    ),
    "moved": "{your} is the right one, moved along {what}. From which corner or end do you count?",
    "logarithm": "{your} is the logarithm of the right one. Which form of it is asked for?",
    "exponential": "{your} is the exponential of the right one. Which form of it is asked for?",
    "absolute": (
        "{your} is right but for signs: yours has no negative number. Which line drops them?"
    ),
    "function_on_top": "{your} is {what} of the right one. What is asked for by itself?",
    "largest_alone": "{your} is 1 at the largest and 0 elsewhere. What do the others get?",
    "diagonal": (
        "{your} is the diagonal of the right one only. Which pairs does your code leave out?"
    ),
    "every_other": (
        "{your} leaves out every second entry along {what}. In which steps does your code go on?"
    ),
    "nothing_true": "{your} is False everywhere. Which comparison of yours holds for no entry?",
    "band": (
        "{your} is True near a diagonal only. Which entries further away from it should be True, "
        "too?"
    ),
    "squared": "{your} is the square of the right one. Which power is asked for?",
    "root": "{your} is the square root of the right one. Which power is asked for?",
    "reciprocal": (
        "{your} is 1 divided by the right one. What belongs above the line, and what below?"
    ),
    "rounded": (
        "{your} is the right one, rounded or cut off. Which of your lines makes whole or shorter "
        "numbers?"
    ),
    "whole_numbers": (
        "{your} holds whole numbers only, where the right one has fractions. Which of your arrays "
        "can hold nothing else?"
    ),
    "scaled": "{your} is the right one times {what}. Which factor is one too many, or is missing?",
    "nearly": (
        "{your} is nearly right: it is off by less than a hundredth. What do you add, round, cut "
        "off or only approximate?"
    ),
    "scaled_alike": (
        "{your} is the right one times the same number in every call. Which constant of yours does "
        "that?"
    ),
    "scaled_somehow": (
        "{your} is the right one times a factor of its own in each call. Which factor is one too "
        "many, or is missing?"
    ),
    "one_less": "{your} is the right one minus one. Which of your numbers is one too small?",
    "one_more": "{your} is the right one plus one. Which of your numbers is one too large?",
    "shifted": "{your} is the right one plus a constant. Which number do you add or take off?",
    "argument_added": "{your} is the right one plus {what}. What is asked for by itself?",
    "argument_subtracted": "{your} is the right one minus {what}. What is asked for by itself?",
    "argument_multiplied": (
        "{your} is the right one times {what}, entry by entry. What is asked for by itself?"
    ),
    "first_only": (
        "{your} is right for the first along its first axis only. What does your code do with the "
        "others?"
    ),
    "one_for_all": (
        "{your} gives all of the batch what is right for {what} alone. What in your code knows "
        "which one it is at?"
    ),
    "dealt_out": (
        "{your} is the right one, its entries along {what} dealt out in turns. Which of them "
        "should stand side by side?"
    ),
    "blocks_reversed": (
        "{your} is the right one, its blocks along {what} in reverse order. Which block comes "
        "first?"
    ),
    "merged_truth": (
        "{your} is what holds for {what} along one axis together. What should become of that axis?"
    ),
    "places_listed": (
        "{your} lists the places where True is right. Which shape does the docstring promise, and "
        "what stands in it?"
    ),
    "empty_from_there": (
        "{your} is right up to some place along {what}, and 0 from there on. Where does your code "
        "stop, and where should it?"
    ),
    "empty_up_to_there": (
        "{your} is 0 up to some place along {what}, and right from there on. Where does your code "
        "begin, and where should it?"
    ),
    "cut_off": (
        "{your} is the right one, but cut off along {what}. How long should it be, and where do "
        "you take that from?"
    ),
    "one_of_all": (
        "{your} is only the {what} of what is asked for, along one axis. Where do the others stay?"
    ),
    "summed": "{your} is the right one summed up along {what}. Which axis must stay?",
    "averaged": "{your} is the right one averaged along {what}. Which axis must stay?",
    "accumulated": (
        "{your} is the running total of the right one along {what}. What do you keep from entry "
        "to entry?"
    ),
    "axis_missing": (
        "{your} has the right numbers, but not the axes. Which axis of length 1 does the "
        "docstring ask for, and where?"
    ),
    "axis_left_over": (
        "{your} has the right numbers, but an axis of length 1 too many. Which one is it, and "
        "what should happen to the numbers along it?"
    ),
    "other_shape": (
        "{your} has the right numbers in their order, but another shape. Which axes does the "
        "docstring promise?"
    ),
    "repeated": (
        "{your} is the right one, repeated along an axis. Which length does the docstring promise"
        " for it?"
    ),
    "too_long": (
        "{your} begins like the right one, but goes on along {what}. How long should it be?"
    ),
    "axes_in_other_order": (
        "{your} holds the right numbers, but its axes stand in another order. What does each axis"
        " stand for?"
    ),
    "rows_scaled": (
        "{your} has rows that are right but for a factor, each for one of its own. What should "
        "all rows have in common?"
    ),
    "columns_scaled": (
        "{your} has columns that are right but for a factor, each for one of its own. Along which"
        " axis do you add up?"
    ),
    "total_elsewhere": (
        "{your} adds up to the right total {what} instead. Over which entries should it?"
    ),
    "flatter_or_sharper": (
        "{your} prefers the right entries, but too much or too little: its logarithms are off by "
        "a factor. What is that factor?"
    ),
    "right_where_true": (
        "{your} is right wherever {what} is True. What stands where it is False, and what should?"
    ),
    "right_where_false": (
        "{your} is right wherever {what} is False. What stands where it is True, and what should?"
    ),
    "right_where_positive": (
        "{your} is right wherever {what} is positive. What does your rule do with the others?"
    ),
    "right_where_small": (
        "{your} is right where {what} is small only. What does your code do with larger numbers?"
    ),
    "zeros_on_the_diagonal": (
        "{your} is right but for a diagonal of zeros. Which pairs does your code leave out?"
    ),
    "small_are_zero": (
        "{your} is 0 where the right numbers are smallest. Which line drops small numbers?"
    ),
    "infinite": (
        "{your} is right but for entries that are {what}. Which of your rules puts that there?"
    ),
    "not_finite": (
        "{your} is NaN or infinite where the right one is a plain number. Which step makes the "
        "first such number?"
    ),
    "finite": (
        "{your} has plain numbers where infinity is right, and is right elsewhere. Which number "
        "must stand there?"
    ),
    "logarithm_of_rows": (
        "{your} is a logarithm of the right one, but for a constant in each row. Which stage of "
        "your computation do you return?"
    ),
    "wrong_in_empty_rows": (
        "{your} is wrong only in rows where {what} is False everywhere. What should stand in such "
        "a row?"
    ),
    "same_at_the_end": (
        "{your} is right but for the end of {what}, where it is the same for all. What should "
        "stand there?"
    ),
    "same_at_the_beginning": (
        "{your} is right but for the beginning of {what}, where it is the same for all. What "
        "should stand there?"
    ),
    "first_line_false": (
        "{your} is right but for the first {what}, which is False throughout. Where do you begin "
        "to count?"
    ),
    "last_line_false": (
        "{your} is right but for the last {what}, which is False throughout. Where do you stop?"
    ),
    "complemented_and_moved": (
        "{your} is True where False is right, and its edge is in another place. What does True "
        "mean here, and from where do you count?"
    ),
    "too_few_true": (
        "{your} is True only where that is right, but not everywhere. Which entries does your "
        "rule miss?"
    ),
    "too_many_true": (
        "{your} is True wherever that is right, but elsewhere, too. Which entries should your "
        "rule leave out?"
    ),
    "not_exactly_zero": (
        "{your} has tiny numbers where exactly 0 is right. Which number makes an exact 0 of them?"
    ),
    "zeros_above": (
        "{your} is 0 everywhere above a diagonal, where it should not be. Which line puts a 0 "
        "there?"
    ),
    "zeros": "{your} is right but for entries that are 0. Which line puts a 0 there?",
    "first_row_only": "{your} is right in its {what} only. What is different about the others?",
    "rearranged": (
        "{your} holds the right numbers in other places. Which of your lines moves numbers, and "
        "where to?"
    ),
    "centred": ("{your} is the right one minus the mean {what}. What is asked for by itself?"),
    "largest_taken_off": (
        "{your} is the right one minus its largest number along {what}. What is asked for by "
        "itself?"
    ),
    # Of lists, dictionaries and texts.
    "first_missing": "{your} lacks the first of what is asked for. Where do you begin?",
    "last_missing": "{your} lacks the last of what is asked for. Where do you stop?",
    "numbers_cut": (
        "{your} is right but for large numbers, of which only the last bits are left. How large a "
        "number does each of your types hold?"
    ),
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
