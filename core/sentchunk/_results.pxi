"""`ChunkResult` in C: a seventh of the time to make one, and to free it. A part of `_kernel.pyx`.

To the world it is the dataclass of `_records.py`, and takes from there all that is not about speed.
"""

import dataclasses
import inspect
from copy import deepcopy

from ._records import ChunkResult as _Dataclass
from ._records import reduced_result


cdef object _DEFAULT = object()
cdef object _repr = _Dataclass.__repr__, _eq = _Dataclass.__eq__
cdef tuple _FIELDS = tuple(each.name for each in dataclasses.fields(_Dataclass))


@cython.final
@cython.no_gc  # it holds nothing that could refer to it
@cython.freelist(8)
cdef class _Metadata:
    """What the metadata of the chunks of a part are made of: plain values, which a copy may share, and the title."""

    cdef dict plain  # or None
    cdef object section

    cdef dict added_to(self, dict own):
        if self.section is not None:
            own["section"] = self.section
        return own

    cdef dict copied(self):
        return self.added_to({} if self.plain is None else self.plain.copy())


# A deep copy of these is the same object.
cdef frozenset _WITHOUT_PARTS = frozenset([str, int, float, bool, bytes, complex, type(None)])


cdef tuple _plain_metadata(object given):
    """A copy of the caller's metadata, or None where it has none; and whether a copy must go deeper."""
    if not given:
        return None, False
    for key, value in given.items():
        if type(key) not in _WITHOUT_PARTS or type(value) not in _WITHOUT_PARTS:
            return None, True
    return dict(given), False


cdef inline int _track(object container) except -1:
    """Let the garbage collector know it, if it does not."""
    if not PyObject_GC_IsTracked(container):
        PyObject_GC_Track(container)
    return 0


cdef class ChunkResult:
    """A chunk: `content` is `text[start:end]`, exactly.

    index: its place among the chunks of the text, from 0.
    metadata: a deep copy of the caller's, its own; with the key `section`, the title, in a section of a document.
    start, end: in code points, half-open.
    new_start: where what is not repeated from the chunk before begins.
    oversized: whether it is over a cap, which only an event or a contact can be.
    """

    cdef public object content, oversized
    cdef int64_t index_, start_, end_, new_start_
    cdef object given  # the metadata, or what they are made of when they are first asked for
    # Attributes that are none of the fields, as any dataclass takes them; and what is no number that C holds.
    cdef dict more
    cdef object __weakref__

    __dataclass_fields__ = _Dataclass.__dataclass_fields__
    __dataclass_params__ = _Dataclass.__dataclass_params__
    __match_args__ = _Dataclass.__match_args__
    __signature__ = inspect.signature(_Dataclass)

    def __init__(
        self, content, index=0, metadata=_DEFAULT, start=0, end=0, new_start=0, oversized=False
    ):
        self.content = content
        self.index = index
        self.given = {} if metadata is _DEFAULT else metadata
        self.start = start
        self.end = end
        self.new_start = new_start
        self.oversized = oversized

    cdef inline object number(self, str name, int64_t number):
        if self.more is not None and name in self.more:
            return self.more[name]
        return number

    cdef inline int set_number(self, str name, int64_t *place, object value) except -1:
        cdef int overflow = 1
        cdef int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow) if PyLong_CheckExact(value) else 0
        if overflow:
            self.set_more(name, value)
        else:
            place[0] = number
            if self.more is not None:
                self.more.pop(name, None)
        return 0

    cdef int set_more(self, str name, object value) except -1:
        if self.more is None:
            self.more = {}
        self.more[name] = value
        return 0

    @property
    def index(self):
        return self.number("index", self.index_)

    @index.setter
    def index(self, value):
        self.set_number("index", &self.index_, value)

    @property
    def start(self):
        return self.number("start", self.start_)

    @start.setter
    def start(self, value):
        self.set_number("start", &self.start_, value)

    @property
    def end(self):
        return self.number("end", self.end_)

    @end.setter
    def end(self, value):
        self.set_number("end", &self.end_, value)

    @property
    def new_start(self):
        return self.number("new_start", self.new_start_)

    @new_start.setter
    def new_start(self, value):
        self.set_number("new_start", &self.new_start_, value)

    @property
    def metadata(self):
        cdef object given = self.given
        if type(given) is _Metadata:
            # To copy can start the garbage collector, and with it whatever code, which can ask for the same.
            own = (<_Metadata>given).copied()
            if self.given is given:
                self.given = own
                _track(self)
        return self.given

    @metadata.setter
    def metadata(self, value):
        self.given = value

    @property
    def __dict__(self):
        """The fields and what else was set: a copy, which changes nothing here."""
        found = {name: getattr(self, name) for name in _FIELDS}
        if self.more is not None:
            found.update(self.more)
        return found

    def __getattr__(self, name):
        if self.more is not None and name in self.more:
            return self.more[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def __setattr__(self, name, value):
        _track(self)  # the value may refer to it
        try:
            PyObject_GenericSetAttr(self, name, <void *>value)
        except AttributeError:
            self.set_more(name, value)

    def __delattr__(self, name):
        if self.more is None or self.more.pop(name, _DEFAULT) is _DEFAULT:
            PyObject_GenericSetAttr(self, name, NULL)

    def __eq__(self, other):
        return _eq(self, other)

    def __repr__(self):
        return _repr(self)

    def __reduce__(self):
        return reduced_result(self, type(self) is ChunkResult)

    def __setstate__(self, state):
        for name, value in state.items():
            setattr(self, name, value)

    def __replace__(self, **changes):
        return dataclasses.replace(self, **changes)
