# SPDX-License-Identifier: MIT
"""At most k inside, in the order in which they came, whichever of them is killed.

    import admit

    with admit.Gate("gpu", 4) as hold:
        train_on_gpu(hold.slot)          # 0 to 3, and nobody else has this number now

A gate is a name that unrelated processes agree on: this one is that of `admit run -k 4 gpu`. The first to come makes it
and says k; with k left out it must exist. A name is one of your own directory (`directory()`, or $ADMIT_DIR); with a
slash it is the path of a file, which users can share (mode=0o660). A process that is killed (kill -9), at any moment,
gives back what it had. This file is an interface to libadmit, by ctypes; admit.h, which comes with that, is the manual
of the library.

WAYS IN

    with gate:                           waits for its turn; each `with` is a hold of its own, also a nested one
    with gate.enter(timeout=5) as hold:  admit.TimedOut after 5 seconds; deadline= is a time of time.monotonic()
    with gate.try_enter() as hold:       admit.NoSlot at once, unless a slot is free and nobody waits for it
    hold = gate.enter() ... hold.leave() without `with`

    A hold that is garbage before it was left is left then, with a ResourceWarning: keep it. `with gate` leaves what the
    same thread has entered last by it: where that is another, as when generators take turns, say `with gate.enter()`.
    hold.owner_died says that the owner of the slot before died inside: what it stands for may be half-done.

WHO HOLDS

    The thread that entered. Any thread may leave with its hold; but if the thread that entered ends before, the slot is
    another's from then on, and to leave raises NotHolding. One Gate serves all threads at once.
    When the interpreter exits, what its main thread holds is left, and a daemon that is inside counts as killed.
    A forked child holds nothing, and can use the Gate. For children that are spawned a Gate can be pickled: it is
    opened there again, with the same options. (Gate.private makes one without a name, for threads and forked children.)
    Ctrl-C while waiting gives the place up and raises KeyboardInterrupt; so does a signal handler that raises anything.
    A handler that raises nothing ends no wait. While it interrupts a wait, it cannot use the gate that is waited at.
    (Python may raise KeyboardInterrupt just when a `with` ends, before it was told so: what is lost then comes back as
    garbage, with gate.enter() at once, with a Gate that is used again and again when that is.)

COMMANDS

    with gate.enter() as hold:
        hold.run(["./train", "--epochs", "10"], check=True)      as subprocess.run; hold.popen as subprocess.Popen

    If this process is killed, the slot is the command's until it has ended, and all that it started, unless they close
    the descriptor by which they hold. (What is forked meanwhile, without exec, has that too.) Leave when it has ended:
    a hold that was left is nobody's, whatever runs. The command sees ADMIT_SLOT and the like, as under `admit run`.
    Another way to start it: asyncio.create_subprocess_exec(*command, **hold.bequest()).

ASYNCIO

    async with gate as hold:                      the loop goes on meanwhile
    async with gate.aenter(timeout=5) as hold:    or hold = await gate.aenter()

    A task that is cancelled while it waits has given its place up: it is passed over, or passed on at once if its turn
    comes before the library notices, which takes half a second, or some in a long line. Each task that waits or is
    inside has a thread of its own, and with it one of the places that the gate has (`capacity`, 256 unless the gate was
    made with another; a task that comes beyond waits until one is free). Where thousands may come, let an
    asyncio.Semaphore in front keep them from having thousands of threads.

SEEING AND MANAGING

    gate.inspect() is a picture of the threads inside and of those that wait. gate.k, declared_k, most_k, capacity,
    waiters; gate.resize, declare, describe; remove(name), gates(), directory(), resolve(name), version().

ERRORS

    All are admit.Error, with `code` (see Code). Some are Python's own, too: TimedOut a TimeoutError, NoGate a
    FileNotFoundError, NoPermission a PermissionError, BadName, BadOption and OtherK a ValueError.

WHICH LIBRARY

    $ADMIT_LIBRARY, if set, and no other; else libadmit.so.0 in this file's directory, or in the `lib` below which this
    was installed; libadmit.so in the build directory of a checkout; else where the loader finds it.
"""

from __future__ import annotations

import ctypes
import enum
import errno
import math
import operator
import os
import subprocess
import sys
import threading
import time
import types
import warnings
import weakref
from typing import (Any, Callable, Dict, Generator, Iterable, List, Mapping, NamedTuple, Optional, Set, Tuple, Type,
                    TYPE_CHECKING, Union)  # fmt: skip

if TYPE_CHECKING:  # it takes longer to load than all the rest: for those alone that use it
    import asyncio

__all__ = [
    "Gate", "Hold", "View", "Participant", "GateFile", "Code", "remove", "gates", "directory", "resolve", "version",
    "Error", "TimedOut", "NoSlot", "Full", "Interrupted", "NoGate", "OtherK", "BadName", "BadOption", "NotAGate",
    "NoPermission", "Busy", "Removed", "NotHolding",
]  # fmt: skip

Name = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

# --- errors -----------------------------------------------------------------------------------------------------------


class Code(enum.IntEnum):
    """What went wrong, as in admit.h: TIMED_OUT is ADMIT_TIMED_OUT."""

    NO_MEMORY = 12
    TIMED_OUT = 16
    NO_SLOT = 17
    INTERRUPTED = 18
    FULL = 19
    NO_GATE = 20
    OTHER_K = 21
    BAD_NAME = 22
    BAD_OPTION = 23
    NOT_A_GATE = 24
    OTHER_GATE_LAYOUT = 25
    GATE_CORRUPT = 26
    NOT_YOURS = 27
    NO_PERMISSION = 28
    DISK_FULL = 29
    BUSY = 30
    REMOVED = 31
    NOT_HOLDING = 32
    SYSTEM = 33
    UNSUPPORTED = 34
    LOST = 35


class Error(Exception):
    """Whatever a gate refuses. `code` is a Code, or the number of one that this file does not know."""

    code: int
    errno: Any

    def __init__(self, text: str = "", code: int = Code.SYSTEM) -> None:
        super().__init__(text)
        self.code, self.errno = code, _ERRNO.get(type(self))  # as OSError has it


# fmt: off
class TimedOut(Error, TimeoutError): """The time is over; the place in line is given up."""
class NoSlot(Error): """try_enter: all slots are taken, or somebody waits."""
class Full(NoSlot): """try_enter: nobody waits, but all records of the gate are taken."""
class Interrupted(Error): """The caller's own function ended the wait."""
class NoGate(Error, FileNotFoundError): """There is no gate of this name, and no k was given to make one."""
class OtherK(Error, ValueError): """The gate has another k than the one asked for."""
class BadName(Error, ValueError): """A name is 1 to 64 of A-Z a-z 0-9 . _ -, and not . or ..; or a path."""
class BadOption(Error, ValueError): """k, most_k, capacity or mode out of range, or what else the text says."""
class NotAGate(Error): """The file is no gate, has been overwritten, or was made by a library with another layout."""
class NoPermission(Error, PermissionError): """The file or its directory does not allow it, or is somebody else's."""
class Busy(Error): """Somebody is inside or waits; or somebody else is managing the gate, and does not go on."""
class Removed(Error): """The gate has been removed, or its file deleted or moved, while this process had it open."""
class NotHolding(Error): """Nobody is inside with this hold: it was left, its thread has ended, or it is a parent's."""


_CLASSES: Mapping[int, Type[Error]] = {
    Code.TIMED_OUT: TimedOut, Code.NO_SLOT: NoSlot, Code.FULL: Full, Code.INTERRUPTED: Interrupted,
    Code.NO_GATE: NoGate, Code.OTHER_K: OtherK, Code.BAD_NAME: BadName, Code.BAD_OPTION: BadOption,
    Code.NOT_A_GATE: NotAGate, Code.OTHER_GATE_LAYOUT: NotAGate, Code.GATE_CORRUPT: NotAGate,
    Code.NOT_YOURS: NoPermission, Code.NO_PERMISSION: NoPermission, Code.BUSY: Busy, Code.REMOVED: Removed,
    Code.NOT_HOLDING: NotHolding,
}
# fmt: on
_ERRNO: Mapping[type, int] = {TimedOut: errno.ETIMEDOUT, NoGate: errno.ENOENT, NoPermission: errno.EACCES}


def _error(number: int) -> Error:
    """That of this thread's last call, which has just failed."""
    text = _lib.admit_last_error_text().decode("utf-8", "replace")
    code = Code(number) if number in Code.__members__.values() else number
    return _CLASSES.get(number, Error)(text, code)


def _check(number: int) -> None:
    if number != 0:
        raise _error(number)


# --- the library ------------------------------------------------------------------------------------------------------

_NEEDED = "0.2."  # before 1.0.0 a minor version may change anything
_NOBODY = 2**64 - 1  # tickets have 47 bits


class _Options(ctypes.Structure):
    _fields_ = [("k", ctypes.c_uint), ("most_k", ctypes.c_uint), ("capacity", ctypes.c_uint),
                ("mode", ctypes.c_uint), ("look_only", ctypes.c_int), ("ttl", ctypes.c_uint)]  # fmt: skip


class _Hold(ctypes.Structure):
    _fields_ = [("slot", ctypes.c_uint), ("owner_died", ctypes.c_uint), ("ticket", ctypes.c_uint64)]


class _Time(ctypes.Structure):
    _fields_ = [("tv_sec", ctypes.c_long), ("tv_nsec", ctypes.c_long)]


_WAITING = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_uint)
_ONE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)


class _Wait(ctypes.Structure):
    _fields_ = [("until", ctypes.POINTER(_Time)), ("waiting", _WAITING), ("data", ctypes.c_void_p),
                ("interruptible", ctypes.c_int), ("only_if_free", ctypes.c_int), ("record_since", ctypes.c_int),
                ("any_thread", ctypes.c_int), ("outside", ctypes.POINTER(ctypes.c_int)),
                ("lost", ctypes.c_void_p)]  # fmt: skip


class _Participant(ctypes.Structure):
    _fields_ = [("slot", ctypes.c_uint), ("place", ctypes.c_uint), ("ticket", ctypes.c_uint64), ("pid", ctypes.c_long),
                ("since", ctypes.c_int64), ("condition", ctypes.c_uint), ("command", ctypes.c_char * 96),
                ("user", ctypes.c_int64), ("host", ctypes.c_char * 64), ("user_name", ctypes.c_char * 33)]  # fmt: skip


class _View(ctypes.Structure):
    _fields_ = [("k", ctypes.c_uint), ("most_k", ctypes.c_uint), ("capacity", ctypes.c_uint),
                ("holders", ctypes.c_uint), ("waiters", ctypes.c_uint), ("holder", ctypes.POINTER(_Participant)),
                ("waiter", ctypes.POINTER(_Participant)), ("entered", ctypes.c_uint64), ("recovered", ctypes.c_uint64),
                ("abandoned", ctypes.c_uint64), ("declared_k", ctypes.c_uint), ("outside", ctypes.c_uint)]  # fmt: skip


_GATE, _INT, _UNSIGNED, _TEXT = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint, ctypes.c_char_p
# What each returns, and what it takes.
_CALLS: Mapping[str, Tuple[Any, ...]] = {
    "admit_version": (_TEXT,),
    "admit_last_error": (_INT,),
    "admit_last_error_text": (_TEXT,),
    "admit_gate_directory": (_TEXT,),
    "admit_gate_resolve": (_INT, _TEXT, _TEXT, ctypes.c_size_t),
    "admit_gate_open_with": (_GATE, _TEXT, ctypes.POINTER(_Options)),
    "admit_gate_create_private": (_GATE, ctypes.POINTER(_Options)),
    "admit_gate_close": (None, _GATE),
    "admit_gate_path": (_TEXT, _GATE),
    "admit_gate_k": (_UNSIGNED, _GATE),
    "admit_gate_declared_k": (_UNSIGNED, _GATE),
    "admit_gate_most_k": (_UNSIGNED, _GATE),
    "admit_gate_capacity": (_UNSIGNED, _GATE),
    "admit_gate_identity": (None, _GATE, ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ctypes.c_uint64)),
    "admit_gate_enter_with": (_INT, _GATE, ctypes.POINTER(_Hold), ctypes.POINTER(_Wait)),
    "admit_gate_interrupt": (None, _GATE),
    "admit_gate_leave": (_INT, _GATE, ctypes.POINTER(_Hold)),
    "admit_gate_describe": (_INT, _GATE, _TEXT),
    "admit_gate_family": (_INT, _GATE),
    "admit_gate_bequeath_to": (_INT, _GATE, ctypes.POINTER(_Hold), _INT),
    "admit_gate_inspect": (ctypes.POINTER(_View), _GATE),
    "admit_view_free": (None, ctypes.POINTER(_View)),
    "admit_gate_waiters": (_UNSIGNED, _GATE),
    "admit_gate_resize": (_INT, _GATE, _UNSIGNED),
    "admit_gate_declare": (_INT, _GATE, _UNSIGNED),
    "admit_gate_remove": (_INT, _TEXT, _INT),
    "admit_gate_list": (_INT, _ONE, ctypes.c_void_p),
}


def _candidates() -> List[str]:
    named = os.environ.get("ADMIT_LIBRARY")
    if named:
        return [named]
    here = os.path.dirname(os.path.realpath(__file__))
    lib = os.path.dirname(os.path.dirname(here))  # of PREFIX/lib/python3.X/site-packages
    found = [os.path.join(place, "libadmit.so.0") for place in (here, lib, os.path.join(here, "..", "lib"))]
    if os.path.basename(here) == "python":
        found.append(os.path.join(here, "..", "build", "libadmit.so"))
    return [path for path in found if os.path.exists(path)] + ["libadmit.so.0"]


def _load() -> ctypes.CDLL:
    refused = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
            library.admit_version.restype = _TEXT
            version = library.admit_version().decode()
            if not version.startswith(_NEEDED):
                raise OSError(f"{path}: has version {version}, and this file is for {_NEEDED}x")
            for name, (result, *arguments) in _CALLS.items():
                call = getattr(library, name)
                call.restype, call.argtypes = result, arguments
            return library
        except (OSError, AttributeError) as error:
            refused.append(str(error))
    raise ImportError("admit: no libadmit could be loaded (ADMIT_LIBRARY=PATH names one): " + "; ".join(refused))


_lib = _load()

# --- what callers may say ---------------------------------------------------------------------------------------------


def _name(name: Name) -> bytes:
    text = os.fsencode(name)
    if b"\0" in text:
        raise BadName(f"bad name {name!r}: it has a NUL in it", Code.BAD_NAME)
    if text.startswith(b"etcd:"):  # a hold there can be lost, of which nothing here would know
        raise BadName(f"gate {os.fsdecode(text)!r}: gates on etcd are for C and for `admit run`", Code.BAD_NAME)
    return text


def _number(what: str, number: int) -> int:
    try:
        value = operator.index(number)
    except TypeError:
        raise TypeError(f"{what} takes a whole number, not {number!r}") from None
    if not 0 <= value < 2**32:
        raise BadOption(f"{what} = {value}: out of range", Code.BAD_OPTION)
    return value


def _slots(k: int) -> int:
    """0 is a mistake, as of a list that is empty: to the library it would be a gate that must exist."""
    value = _number("k", k)
    if value == 0:
        raise BadOption("k = 0: nobody could go in (without k, the gate must exist)", Code.BAD_OPTION)
    return value


def _seconds(what: str, seconds: Optional[float]) -> Optional[float]:
    if seconds is None:
        return None
    if not hasattr(seconds, "__float__") and not hasattr(seconds, "__index__"):  # float() would read a text
        raise TypeError(f"{what} takes seconds, not {seconds!r}")
    value = float(seconds)
    if math.isnan(value):
        raise ValueError(f"{what} = {seconds!r}: a time that is no number")
    return value


def _deadline(timeout: Optional[float], deadline: Optional[float]) -> Optional[float]:
    """As time.monotonic() counts; None: never."""
    if timeout is not None and deadline is not None:
        raise TypeError("timeout and deadline: one of the two")
    until, within = _seconds("deadline", deadline), _seconds("timeout", timeout)
    if within is not None:
        until = time.monotonic() + within
    return None if until is None or until > 2**40 else until


def _timespec(until: float) -> _Time:
    seconds = math.floor(max(until, 0))
    return _Time(seconds, min(int((max(until, 0) - seconds) * 1e9), 999_999_999))


def _own_command() -> bytes:
    given = getattr(sys, "orig_argv", None) or [sys.executable or "python3"] + getattr(sys, "argv", [])
    return os.fsencode(" ".join([os.path.basename(given[0])] + given[1:]).replace("\0", " "))


# --- waiting ----------------------------------------------------------------------------------------------------------

Waiting = Callable[[int], object]
_Watcher = Generator[int, int, None]


def _watch(waiting: Optional[Waiting], raised: List[BaseException]) -> _Watcher:
    """What the library calls while the thread waits: it sends the place, and is told whether to give up.

    A generator, since signal handlers run wherever Python is about to go on: in a function that would be before its
    first `try`, so that what the handler raises were lost in ctypes. Here that is a `yield`, and they are inside.
    """
    try:
        place = yield 0
        while True:
            place = yield 1 if waiting is not None and waiting(place) else 0
    except GeneratorExit:
        raise
    except BaseException as error:
        raised.append(error)
    while True:
        yield 1


_SEND = _WAITING(types.GeneratorType.send)
_waits = threading.local()  # watched: those of this thread; a signal handler may wait, too, at another gate


class _Closing:
    """Closes the library's handle when it goes."""

    def __init__(self, pointer: int, pointers: List[int]) -> None:
        self.pointer, self.pointers = pointer, pointers

    def __del__(self) -> None:
        if _lib is not None and not sys.is_finalizing():  # then a daemon may be waiting by it still
            self.pointers.clear()
            _lib.admit_gate_close(self.pointer)


class _Trace(weakref.ref):  # type: ignore[type-arg]
    """Of a hold that has not been left. What a signal handler raises may end a finalizer at any moment, even before its
    first line, and it is run once only. So what becomes of such a hold does not depend on it alone: when it goes, it is
    noted without a line of Python, and left when the gate is used next."""

    hold: _Hold


class _Handle:
    """The library's handle, which a Gate and its holds share: closed when nobody uses it any more, and not before.

    The garbage collector finalizes the objects of a cycle in any order, and those whose turn is after this one's may
    use the gate still: a hold that was not left, or a caller's own object that leaves in its __del__. So this does not
    close. What it makes then is none of those objects, and goes when they are taken apart, after all were finalized.
    """

    def __init__(self, name: Optional[str], options: Mapping[str, Optional[int]]) -> None:
        numbers = {what: _number(what, number) for what, number in options.items() if number is not None}
        given = _Options(**numbers)
        if name is None:
            pointer = _lib.admit_gate_create_private(given)
        else:
            pointer = _lib.admit_gate_open_with(_name(name), given)
        if not pointer:
            raise _error(_lib.admit_last_error())
        self._pointers: List[int] = [pointer]  # none, when it has been closed
        self.name, self.options = name or "", options
        self.keepers: Set[_Keeper] = set()
        self.dropped: List[_Hold] = []  # that were garbage when this could not be used
        self.traces: Set[_Trace] = set()  # of those that have not been left
        self.gone: List[_Trace] = []

    def __del__(self) -> None:
        if getattr(self, "_pointers", None):
            self._closing = _Closing(self._pointers[0], self._pointers)

    @property
    def pointer(self) -> int:
        if not self._pointers:  # somebody has kept it by a finalizer, and comes a second time
            raise ValueError(f"gate {self.name!r} was closed")
        return self._pointers[0]

    def is_waited_at(self) -> bool:
        """By this thread, one of whose signal handlers runs now, or its own function."""
        return any(handle is self and watcher.gi_running for handle, watcher in getattr(_waits, "watched", ()))

    def use(self) -> int:
        if self.is_waited_at():
            raise RuntimeError("a function that is called while a thread waits cannot use the gate that it waits at")
        pointer = self.pointer
        for trace in self.gone[:]:
            _lib.admit_gate_leave(pointer, trace.hold)  # a second time, if its finalizer has, does no harm
            self.traces.discard(trace)
            if trace in self.gone:
                self.gone.remove(trace)
        return pointer

    def enter(self, into: List[Hold], until: Optional[float] = None, waiting: Optional[Waiting] = None,
              only_if_free: bool = False, keeper: Optional[_Keeper] = None) -> Hold:  # fmt: skip
        """Adds it to `into`, whose last it is. Whatever is raised at whatever moment, the slot is not lost."""
        pointer, hold = self.use(), _Hold(ticket=_NOBODY)
        watcher: Optional[_Watcher] = None
        raised: List[BaseException] = []
        made: Optional[Hold] = None
        wait = _Wait(record_since=1, any_thread=1, only_if_free=only_if_free, interruptible=keeper is not None)
        if until is not None:
            wait.until = ctypes.pointer(_timespec(until))
        if waiting is not None or threading.current_thread() is threading.main_thread():
            watcher = _watch(waiting, raised)
            next(watcher)
            wait.waiting, wait.data = _SEND, id(watcher)
        try:
            number = self._wait(pointer, hold, wait, watcher)
            if raised:
                raise raised[0]
            _check(number)
            made = Hold(self, hold, keeper)
            made._left = False
            into.append(made)
            return made
        except BaseException:
            if made is not None:
                into[:] = [other for other in into if other is not made]
                made._end()
            elif hold.ticket != _NOBODY:
                _lib.admit_gate_leave(pointer, hold)
            raise

    def _wait(self, pointer: int, hold: _Hold, wait: _Wait, watcher: Optional[_Watcher]) -> int:
        if watcher is None:
            return int(_lib.admit_gate_enter_with(pointer, hold, wait))
        if not hasattr(_waits, "watched"):
            _waits.watched = []
        _waits.watched.append((self, watcher))
        try:
            return int(_lib.admit_gate_enter_with(pointer, hold, wait))
        finally:
            _waits.watched.pop()
            while self.dropped and not self.is_waited_at():
                _lib.admit_gate_leave(pointer, self.dropped.pop())

    def waits_no_more(self, keeper: _Keeper) -> None:
        """Those that were cancelled notice at once if nobody else waits; else when the library asks them next."""
        self.keepers.discard(keeper)
        if not self.keepers:
            _lib.admit_gate_interrupt(self.pointer)


class Hold:
    """What one has by entering. Leave it, by `with` or by leave(): any thread may, while the one that entered lives."""

    slot: int  #: 0 to k-1; nobody else inside has it
    owner_died: bool  #: the owner of this slot before died inside
    ticket: int  #: the place in line: an earlier draw has a smaller one
    _left = True  # until it is made

    def __init__(self, handle: _Handle, hold: _Hold, keeper: Optional[_Keeper] = None) -> None:
        self._family = -1
        self._handle, self._hold, self._keeper, self._process = handle, hold, keeper, os.getpid()
        self._bequeathing, self._is_of_main = threading.Lock(), threading.current_thread() is threading.main_thread()
        self.slot, self.owner_died, self.ticket = hold.slot, hold.owner_died != 0, hold.ticket
        self._trace = _Trace(self, handle.gone.append)
        self._trace.hold = hold
        handle.traces.add(self._trace)

    @property
    def gate(self) -> Gate:
        """That it is inside of."""
        return Gate._by(self._handle)

    def __repr__(self) -> str:
        return f"<admit.Hold of slot {self.slot} of {self._handle.name!r}{', left' if self._left else ''}>"

    def __enter__(self) -> "Hold":
        return self

    def __exit__(self, *_: object) -> None:
        if not self._left and self._process == os.getpid():
            self.leave()

    def __del__(self, warn: Callable[..., None] = warnings.warn) -> None:
        if _lib is None or self._left or self._process != os.getpid():
            return
        if sys.is_finalizing() and not self._is_of_main:  # a daemon's, whose C code may run still
            return
        which = repr(self)  # as it was, and not as it is left here
        if self._handle.is_waited_at():
            self._handle.dropped.append(self._hold)
            self._left = True
        else:
            self._end()
        warn(f"a hold was not left: {which}", ResourceWarning, source=self)

    def leave(self) -> None:
        """Inside no more; the next in line is. Never waits."""
        self._handle.use()
        self._must_hold()
        _check(self._end())

    def run(self, command: Any, **how: Any) -> subprocess.CompletedProcess[Any]:
        """subprocess.run(command, ...), which has the slot until it ends, also if this process is killed meanwhile."""
        return subprocess.run(command, **{**how, **self.bequest(how.get("env"), how.get("pass_fds", ()))})

    def popen(self, command: Any, **how: Any) -> subprocess.Popen[Any]:
        """subprocess.Popen(command, ...) in the same way. Leave when it has ended."""
        return subprocess.Popen(command, **{**how, **self.bequest(how.get("env"), how.get("pass_fds", ()))})

    def bequest(self, env: Optional[Mapping[str, str]] = None, pass_fds: Iterable[int] = ()) -> Dict[str, Any]:
        """The env and pass_fds with which whatever starts a command gives it a share in this hold."""
        self._must_hold()
        with self._bequeathing:
            if self._family < 0:
                family = _lib.admit_gate_family(self._handle.use())
                if family < 0:
                    raise _error(_lib.admit_last_error())
                os.set_inheritable(family, False)  # but by pass_fds
                number = _lib.admit_gate_bequeath_to(self._handle.pointer, self._hold, family)
                if number != 0:
                    os.close(family)
                    raise _error(number)
                self._family = family
        outer, (device, inode) = dict(os.environ if env is None else env), self.gate.identity
        inside = f"{outer.get('ADMIT_INSIDE', '')} {device:x}:{inode:x}:{self.ticket:x}".strip()
        outer.pop("ADMIT_OWNER_DIED", None)
        outer.update({"ADMIT_GATE": self._handle.name, "ADMIT_SLOT": str(self.slot), "ADMIT_TICKET": str(self.ticket),
                      "ADMIT_INSIDE": inside}, **({"ADMIT_OWNER_DIED": "1"} if self.owner_died else {}))  # fmt: skip
        return {"env": outer, "pass_fds": (*pass_fds, self._family)}

    def _must_hold(self) -> None:
        if self._left or self._process != os.getpid():
            why = "has been left" if self._left else "is the parent's, not this process's"
            raise NotHolding(f"gate {self._handle.name!r}: the hold of ticket {self.ticket} {why}", Code.NOT_HOLDING)

    def _end(self) -> int:
        number = int(_lib.admit_gate_leave(self._handle.pointer, self._hold))
        self._left = True
        self._handle.traces.discard(self._trace)
        if self._keeper is not None:
            self._keeper.may_end.set()
        if self._family >= 0:
            os.close(self._family)
            self._family = -1
        return number


# --- what one sees ----------------------------------------------------------------------------------------------------


class Participant(NamedTuple):
    """A thread that is inside, or waits."""

    slot: Optional[int]  #: of one inside; None: it has none yet
    place: Optional[int]  #: of a thread that waits, from 1 on
    ticket: int
    pid: int  #: of the command if one has inherited; as its own namespace numbers it; 0: not recorded
    since: Optional[float]  #: inside, or waiting, since then, as time.time() counts
    condition: str  #: lives, died, orphan (the command holds on whose starter was killed), unknown, stopped
    command: str  #: anything its owner wrote
    user: Optional[int]


class View(NamedTuple):
    """A picture of a gate: what moves while it is taken may be in it twice or not at all."""

    k: int
    declared_k: int
    most_k: int
    capacity: int
    holders: Tuple[Participant, ...]  #: by slot
    waiters: Tuple[Participant, ...]  #: by place
    outside: int  #: how many wait behind these, for the gate has no room for them in its line
    entered: int
    recovered: int  #: holds and places that came back after a death
    abandoned: int  #: places that were given up


class GateFile(NamedTuple):
    """A gate of directory()."""

    name: str
    path: str


_CONDITIONS = ("lives", "died", "orphan", "unknown", "stopped")


def _participant(one: _Participant, most_k: int, waits: bool) -> Participant:
    slot = one.slot if not waits and one.slot < most_k else None
    since, user = one.since / 1e9 if one.since else None, one.user if one.user >= 0 else None
    command = one.command.decode("utf-8", "replace")
    place, condition = one.place if waits else None, _CONDITIONS[one.condition]
    return Participant(slot, place, one.ticket, one.pid, since, condition, command, user)


def _view(view: _View) -> View:
    inside = tuple(_participant(view.holder[h], view.most_k, False) for h in range(view.holders))
    in_line = tuple(_participant(view.waiter[w], view.most_k, True) for w in range(view.waiters))
    same = {field: getattr(view, field) for field in View._fields if field not in ("holders", "waiters")}
    return View(holders=inside, waiters=in_line, **same)


# --- gates ------------------------------------------------------------------------------------------------------------


class _Entered(threading.local):
    """By `with gate`, in this thread; the last is the next to leave."""

    def __init__(self) -> None:
        self.holds: List[Hold] = []


def _numbered(call: str, doc: str) -> Any:
    ask = getattr(_lib, call)
    return property(lambda gate: int(ask(gate._used().pointer)), doc=doc)


class Gate:
    """This process's handle on the gate of this name, which is made if there is none. Without k it must exist.

    For a gate that exists only k is compared: it must be its declared or its present one. most_k: up to which it can be
    resized. capacity: how many threads can take part at a time. mode: permissions, 0o600 unless said otherwise.
    look_only: to inspect, for which reading suffices.
    """

    def __init__(self, name: Name, k: Optional[int] = None, *, most_k: int = 0, capacity: int = 0, mode: int = 0,
                 look_only: bool = False) -> None:  # fmt: skip
        slots = None if k is None else _slots(k)
        options = {"k": slots, "most_k": most_k, "capacity": capacity, "mode": mode, "look_only": look_only}
        self._begin(_Handle(os.fsdecode(_name(name)), options))
        if not look_only:
            self.describe(_own_command())

    @classmethod
    def private(cls, k: int, *, most_k: int = 0, capacity: int = 0) -> Gate:
        """A gate without a name, for the threads of this process and the processes it forks."""
        gate = cls._by(_Handle(None, {"k": _slots(k), "most_k": most_k, "capacity": capacity}))
        gate.describe(_own_command())
        return gate

    @classmethod
    def _by(cls, handle: _Handle) -> Gate:
        gate = cls.__new__(cls)
        gate._begin(handle)
        return gate

    def _begin(self, handle: _Handle) -> None:
        self._handle: Optional[_Handle] = handle
        self.name, self._entered = handle.name, _Entered()
        self._tasks: weakref.WeakKeyDictionary[Any, List[Hold]] = weakref.WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"<admit.Gate {self.name!r}{', closed' if self._handle is None else ''}>"

    def __reduce__(self) -> Tuple[Any, ...]:
        if self.name == "":
            raise TypeError("a private gate is for this process, and those that it forks: it cannot be pickled")
        return _open_again, (type(self), self.name, self.path, self._used().options)

    def close(self) -> None:
        """The Gate can be used no more. A thread that is inside by it stays inside, and can leave."""
        self._handle = None

    def _used(self) -> _Handle:
        if self._handle is None:
            raise ValueError(f"gate {self.name!r} was closed")
        return self._handle

    # --- entering

    def enter(self, timeout: Optional[float] = None, *, deadline: Optional[float] = None,
              waiting: Optional[Waiting] = None) -> Hold:  # fmt: skip
        """Waits for its turn; TimedOut when `timeout` seconds are over, unless a slot is free then.

        waiting(place) is called while this thread waits, about twice a second; if it returns True, the place is given
        up, and Interrupted raised. It must not use this gate.
        """
        return self._used().enter([], _deadline(timeout, deadline), waiting)

    def try_enter(self) -> Hold:
        """Goes in only if there is a free slot and nobody waits for it; else NoSlot, at once."""
        return self._used().enter([], only_if_free=True)

    def __enter__(self) -> Hold:
        return self._used().enter(self._entered.holds)

    def __exit__(self, *_: object) -> None:
        if not self._entered.holds:
            raise NotHolding(f"gate {self.name!r}: this thread has not entered by `with`", Code.NOT_HOLDING)
        self._entered.holds.pop().__exit__()

    def aenter(self, timeout: Optional[float] = None, *, deadline: Optional[float] = None) -> _Entering:
        """For a task of asyncio: `async with gate.aenter() as hold`, or `hold = await gate.aenter()`."""
        return _Entering(self, _deadline(timeout, deadline))

    async def __aenter__(self) -> Hold:
        import asyncio

        hold = await self.aenter()
        self._tasks.setdefault(asyncio.current_task(), []).append(hold)
        return hold

    async def __aexit__(self, *_: object) -> None:
        import asyncio

        holds = self._tasks.get(asyncio.current_task())
        if not holds:
            raise NotHolding(f"gate {self.name!r}: this task has not entered by `async with`", Code.NOT_HOLDING)
        holds.pop().__exit__()

    # --- seeing and managing

    def inspect(self) -> View:
        """Who is inside, and who waits. To look stops nobody."""
        view = _lib.admit_gate_inspect(self._used().use())
        if not view:
            raise _error(_lib.admit_last_error())
        try:
            return _view(view.contents)
        finally:
            _lib.admit_view_free(view)

    @property
    def path(self) -> str:
        """Of the gate's file."""
        return os.fsdecode(_lib.admit_gate_path(self._used().pointer))

    k: int = _numbered("admit_gate_k", "How many are let in now.")
    declared_k: int = _numbered("admit_gate_declared_k", "The k that it was made with, or that was declared since.")
    most_k: int = _numbered("admit_gate_most_k", "Up to which it can be resized.")
    capacity: int = _numbered("admit_gate_capacity", "How many threads can take part at a time.")
    waiters: int = _numbered("admit_gate_waiters", "How many wait, in line or outside; nearly for nothing.")

    @property
    def identity(self) -> Tuple[int, int]:
        """Which file it is, by st_dev and st_ino: whether two names mean one gate."""
        device, inode = ctypes.c_uint64(), ctypes.c_uint64()
        _lib.admit_gate_identity(self._used().pointer, device, inode)
        return device.value, inode.value

    def resize(self, k: int) -> None:
        """Sets the present k. The declared one stays, and a caller that says that one still agrees."""
        _check(_lib.admit_gate_resize(self._used().use(), _number("k", k)))

    def declare(self, k: int) -> None:
        """The same, and it is the declared one from now on, too."""
        _check(_lib.admit_gate_declare(self._used().use(), _number("k", k)))

    def describe(self, command: Union[str, bytes]) -> None:
        """What inspect and `admit status` show of this process; its command line, unless said otherwise."""
        _check(_lib.admit_gate_describe(self._used().use(), os.fsencode(command)))


def _open_again(of: Type[Gate], name: str, path: str, options: Dict[str, Any]) -> Gate:
    """In another process, where the name may mean another directory."""
    try:
        name = name if resolve(name) == path else path
    except Error:
        name = path
    return of(name, **options)


def remove(name: Name, *, force: bool = False) -> None:
    """Removes the gate of this name; Busy if anybody is inside or waits, but by force: those that wait see Removed."""
    _check(_lib.admit_gate_remove(_name(name), force))


def gates() -> List[GateFile]:
    """Those of directory(), by name."""
    found: List[GateFile] = []

    def one(_: Any, name: bytes, path: bytes) -> int:
        found.append(GateFile(os.fsdecode(name), os.fsdecode(path)))
        return 0

    _check(_lib.admit_gate_list(_ONE(one), None))
    return found


def directory() -> str:
    """Where gates are that are named without a slash."""
    found = _lib.admit_gate_directory()
    if found is None:
        raise _error(_lib.admit_last_error())
    return os.fsdecode(found)


def resolve(name: Name) -> str:
    """The path of the gate with this name, whether there is one or not."""
    path = ctypes.create_string_buffer(4096)
    _check(_lib.admit_gate_resolve(_name(name), path, len(path)))
    return os.fsdecode(path.value)


def version() -> str:
    """Of the library."""
    return str(_lib.admit_version().decode())


# --- asyncio ----------------------------------------------------------------------------------------------------------


class _Keeper(threading.Thread):
    """Enters for a task, and lives as long as that may hold. A daemon: one that waits does not keep the program."""

    def __init__(self, gate: Gate, until: Optional[float], future: asyncio.Future[Hold]) -> None:
        super().__init__(name=f"admit {gate.name}", daemon=True)
        self.handle, self.until = gate._used(), until
        self.told: List[Any] = [future]
        self.loop, self.is_cancelled, self.may_end = future.get_loop(), False, threading.Event()

    def run(self) -> None:
        told, self.told = self.told, []
        told.append(self._outcome())
        self.handle.waits_no_more(self)
        is_inside = isinstance(told[1], Hold)
        try:
            self.loop.call_soon_threadsafe(_tell, told)  # which takes both out
        except RuntimeError:  # the loop has been closed
            _drop(told.pop())
        del told  # whatever becomes of them, this thread does not keep them: a hold that nobody has is garbage
        if is_inside:
            self.may_end.wait()

    def _outcome(self) -> Union[Hold, BaseException]:
        while True:
            try:
                return self.handle.enter([], self.until, lambda _: self.is_cancelled, keeper=self)
            except Interrupted as error:
                if self.is_cancelled:  # and not another one, while this one came
                    return error
            except BaseException as error:
                return error

    def cancel(self) -> None:
        self.is_cancelled = True
        self.handle.waits_no_more(self)


def _drop(outcome: Union[Hold, BaseException]) -> None:
    if isinstance(outcome, Hold):
        outcome._end()


def _tell(told: List[Any]) -> None:
    outcome, future = told.pop(), told.pop()
    if future.done():
        _drop(outcome)
    elif isinstance(outcome, Hold):
        future.set_result(outcome)
    else:
        future.set_exception(outcome)


class _Entering:
    """What gate.aenter() returns: to be awaited, or for `async with`."""

    def __init__(self, gate: Gate, until: Optional[float]) -> None:
        self._gate, self._until = gate, until
        self._hold: Optional[Hold] = None

    async def _enter(self) -> Hold:
        import asyncio

        future: asyncio.Future[Hold] = asyncio.get_running_loop().create_future()
        keeper = _Keeper(self._gate, self._until, future)
        keeper.handle.keepers.add(keeper)
        try:
            keeper.start()
            return await future
        except BaseException:  # of the future, or the task is cancelled, perhaps just when the future is done
            keeper.cancel()
            if future.done() and not future.cancelled() and future.exception() is None:
                future.result().leave()
            raise

    def __await__(self) -> Generator[Any, None, Hold]:
        return self._enter().__await__()

    async def __aenter__(self) -> Hold:
        self._hold = await self._enter()
        return self._hold

    async def __aexit__(self, *_: object) -> None:
        if self._hold is not None:
            self._hold.__exit__()
