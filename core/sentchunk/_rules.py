"""Sentence boundaries: UAX #29 revision 47 over Unicode 17.0.0, as a specification to read.

Every code point becomes one letter, its Sentence_Break value. SB5 takes out the letters that the other rules
look through. What is left is matched by one regular expression with a line for each rule, in the annex's order.
The data is pinned here, so the host's Python never changes a result.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import regex

from ._records import Int64Array, Rule
from ._sentence_break_data import RANGES

# One letter for each property value; `o` is Other, what no range holds.
LETTERS = {
    "CR": "C", "LF": "L", "Sep": "S", "Extend": "E", "Format": "F", "Sp": "_", "Lower": "l", "Upper": "U",
    "OLetter": "O", "Numeric": "N", "ATerm": "A", "STerm": "T", "SContinue": "K", "Close": "Q", "Other": "o",
}  # fmt: skip

# All of it is possessive (`++`, `*+`): no rule asks to give back what another has taken, and nothing is scanned
# again. SB8 looks ahead over letters that are no terminator, hence never twice over the same ones: linear.
BREAK = regex.compile(
    rb"""
    (?:
        C L                                # SB3: CR x LF
      | [CLS]                              # SB4: ParaSep /
      | (?:
            T Q*+ _*+
          | A (?! N )                      # SB6: ATerm x Numeric
              (?! (?<= [Ul] A ) U )        # SB7: (Upper|Lower) ATerm x Upper
              Q*+ _*+
              (?! [^OUlCLSAT]*+ l )        # SB8: ATerm Close* Sp* x (not a letter, ParaSep or SATerm)* Lower
        )
        (?! [KAT] )                        # SB8a: SATerm Close* Sp* x (SContinue|SATerm)
        (?: C L | [CLS] )?+                # SB9, SB10: Close, Sp and ParaSep stay; SB11: then /
    )
    """,
    regex.VERBOSE,
)


def _letter_table() -> npt.NDArray[np.uint8]:
    table = np.full(0x110000, ord(LETTERS["Other"]), dtype=np.uint8)
    for value, ranges in RANGES.items():
        for span in ranges.split():
            first, _, last = span.partition("-")
            table[int(first, 16) : int(last or first, 16) + 1] = ord(LETTERS[value])
    return table


_LETTER_OF = _letter_table()
_IS_PARASEP = np.isin(np.arange(256), [ord(letter) for letter in "CLS"])
_IS_TRANSPARENT = np.isin(np.arange(256), [ord(letter) for letter in "EF"])


def sentence_ends(code_points: npt.NDArray[np.uint32]) -> Int64Array:
    """The end of each sentence, as an index into `code_points`; the last one is their number.

    No sentence for no code points; else the last sentence ends by SB2.
    """
    total = len(code_points)
    if total == 0:
        return np.empty(0, dtype=np.int64)
    letters = _LETTER_OF[code_points]

    # SB5: X (Extend|Format)* -> X. At the start of the text (sot) and after ParaSep there is no X to look
    # through, so an Extend or Format there stays, as an X of its own.
    after_break = np.empty(total, dtype=bool)
    after_break[0] = True
    after_break[1:] = _IS_PARASEP[letters[:-1]]
    kept = np.flatnonzero(~_IS_TRANSPARENT[letters] | after_break)
    visible = letters[kept].tobytes()

    ends = [match.end() for match in BREAK.finditer(visible)]
    if not ends or ends[-1] < len(kept):  # SB2: Any / eot
        ends.append(len(kept))
    # A boundary before kept code point k lies before that code point in the text, after all that SB5 hid.
    starts_of_kept = np.append(kept, total)
    return starts_of_kept[np.asarray(ends, dtype=np.int64)]


def ending_rule(code_points: npt.NDArray[np.uint32], end: int) -> Rule:
    """The first rule, in the annex's order, that ends the sentence that ends at `end`."""
    if end == len(code_points):
        return "SB2"
    return "SB4" if _IS_PARASEP[_LETTER_OF[code_points[end - 1]]] else "SB11"
