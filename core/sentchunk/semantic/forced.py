"""Forced cuts: of a sentence over the content budget, at the best place that fits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import regex

from .._records import Int64Array
from .kinds import SemanticSpec
from .pieces import Pieces, before_next, follow
from .tokens import Tokens

# `\X` alone would count flags from the first one on for each of a run: quadratic. Two of them, and marks, are a cluster.
CLUSTER = regex.compile(r"\p{RI}{2}[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*+|\X")


class Atoms(NamedTuple):
    """Tokens, or what sentences have of them, and the parts of those over the cap: what is never cut further.

    starts, ends, leads: as of tokens. token: the place of their token. whole: whether white space, or the sentence's
    end, follows. owner: the sentence.
    """

    starts: Int64Array
    ends: Int64Array
    leads: Int64Array
    token: Int64Array
    whole: npt.NDArray[np.bool_]
    owner: Int64Array


def cut_by_force(text: str, tokens: Tokens, sentences: Pieces, spec: SemanticSpec) -> Pieces:
    """Pieces of sentences, each as large as the budget allows.

    A cut is at the last white space that fits, else between grapheme clusters, else, where one cluster alone is over
    the cap, between code points.
    """
    atoms = _split(text, _atoms(tokens, sentences), spec.chars)
    first = follow(_following(atoms, spec))
    last = before_next(first, len(atoms.starts))
    return Pieces(atoms.leads[first], atoms.ends[last], atoms.token[first], atoms.token[last])


def _atoms(tokens: Tokens, sentences: Pieces) -> Atoms:
    """The tokens of the sentences. Sentences may begin and end within one."""
    counts = sentences.last - sentences.first + 1
    owner = np.repeat(np.arange(len(counts)), counts)
    before = np.cumsum(counts) - counts
    token = np.arange(len(owner)) - before[owner] + sentences.first[owner]
    starts = np.maximum(tokens.starts[token], sentences.starts[owner])
    ends = np.minimum(tokens.ends[token], sentences.ends[owner])
    leads = np.minimum(np.maximum(tokens.leads[token], sentences.starts[owner]), starts)
    return Atoms(starts, ends, leads, token, np.ones(len(owner), np.bool_), owner)


def _following(atoms: Atoms, spec: SemanticSpec) -> Int64Array:
    """For each atom, which one follows the piece that begins with it."""
    places = np.arange(len(atoms.starts))
    following = atoms.ends.searchsorted(atoms.leads + spec.chars, "right")
    # Sentences can share a token, so a token alone does not say where the owner's end is.
    for bound in (
        atoms.token.searchsorted(atoms.token + spec.budget),
        atoms.owner.searchsorted(atoms.owner, "right"),
    ):
        following = np.minimum(following, bound)
    following = np.maximum(following, places + 1)
    last_whole = np.maximum.accumulate(np.where(atoms.whole, places, -1))[following - 1]
    return np.where(last_whole >= places, last_whole + 1, following)


def _split(text: str, atoms: Atoms, cap: int) -> Atoms:
    """The same with the atoms over the cap in parts."""
    long = (atoms.ends - atoms.starts > cap).nonzero()[0]
    if not len(long):
        return atoms
    cuts, owners = _cuts(text, atoms.starts[long], atoms.ends[long], cap)
    owners = long[owners]
    counts = np.bincount(owners, minlength=len(atoms.starts)) + 1
    source = np.repeat(np.arange(len(counts)), counts)
    # Where an atom has cuts, they are the starts of all its parts but the first, the ends of all but the last.
    firsts = np.cumsum(counts) - counts
    is_first = np.zeros(len(source), np.bool_)
    is_first[firsts] = True
    is_last = np.append(is_first[1:], True)
    starts, ends, leads = atoms.starts[source], atoms.ends[source], atoms.leads[source]
    starts[~is_first] = cuts
    leads[~is_first] = cuts
    ends[~is_last] = cuts
    return Atoms(starts, ends, leads, atoms.token[source], is_last, atoms.owner[source])


def _cuts(
    text: str, starts: Int64Array, ends: Int64Array, cap: int
) -> tuple[Int64Array, Int64Array]:
    """Where to cut stretches that are over the cap, and for each cut which stretch it is in."""
    cuts: list[int] = []
    counts: list[int] = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        before = len(cuts)
        cuts.extend(_cluster_cuts(text[start:end], start, cap))
        counts.append(len(cuts) - before)
    return np.array(cuts, np.int64), np.repeat(np.arange(len(counts)), counts)


def _cluster_cuts(word: str, base: int, cap: int) -> Iterator[int]:
    """Each at the last cluster boundary that is at most `cap` after the one before, or else at `cap` after it."""
    if word.isascii():
        yield from range(base + cap, base + len(word), cap)
        return
    since = at = base
    for cluster in CLUSTER.findall(word):
        end = at + len(cluster)
        if end - since > cap:
            if at > since:
                yield at
                since = at
            while end - since > cap:
                since += cap
                yield since
        at = end
