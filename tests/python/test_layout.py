# SPDX-License-Identifier: MIT
"""The structures, numbers and calls of admit.py are those of admit.h, as the compiler sees them."""

import ctypes
import os
import re
import subprocess
import tempfile
import unittest

import admit

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include")
STRUCTURES = {
    "admit_gate_options": admit._Options,
    "admit_hold": admit._Hold,
    "struct timespec": admit._Time,
    "admit_wait": admit._Wait,
    "admit_participant": admit._Participant,
    "admit_view": admit._View,
}
POINTERS = {ctypes.POINTER(structure): f"{name} *" for name, structure in STRUCTURES.items()}
# How C calls what a call takes or returns; a handle is any pointer that is not one of these.
TYPES = {
    **POINTERS,
    None: "void",
    ctypes.c_int: "int",
    ctypes.c_uint: "unsigned",
    ctypes.c_size_t: "size_t",
    ctypes.c_char_p: "char *",
    ctypes.POINTER(ctypes.c_uint64): "uint64_t *",
    admit._ONE: "int (*)(void *, const char *, const char *)",
}


def structures():
    for name, structure in STRUCTURES.items():
        yield f"sizeof({name}) == {ctypes.sizeof(structure)}"
        for field, kind in structure._fields_:
            place = getattr(structure, field)
            yield f"offsetof({name}, {field}) == {place.offset}"
            yield f"sizeof((({name} *)0)->{field}) == {place.size}"
            if kind in (ctypes.c_int, ctypes.c_uint, ctypes.c_long, ctypes.c_int64, ctypes.c_uint64):
                signed = int(kind(-1).value < 0)
                yield f"((__typeof__((({name} *)0)->{field}))-1 < 0) == {signed}"


def numbers():
    for code in admit.Code:
        yield f"ADMIT_{code.name} == {int(code)}"
    for number, condition in enumerate(admit._CONDITIONS):
        yield f"ADMIT_{condition.upper()} == {number}"
    yield f"ADMIT_COMMAND_SIZE == {ctypes.sizeof(dict(admit._Participant._fields_)['command'])}"


def calls():
    """A call of each, with what it is given here; its result is as large, and of the same kind."""
    for name, (result, *arguments) in admit._CALLS.items():
        given = ", ".join(f"({TYPES.get(kind, 'void *')})0" for kind in arguments)
        returned = TYPES.get(result, "void *")
        yield f"static inline void of_{name}(void)\n{{\n"
        if result is None:
            yield f"    {name}({given});\n}}\n"
        elif returned.endswith("*"):
            yield f"    const void *it = {name}({given});\n    (void)it;\n}}\n"
        else:
            yield f"    _Static_assert(sizeof {name}({given}) == sizeof({returned}), \"{name}\");\n"
            yield f"    {returned} it = {name}({given});\n    (void)it;\n}}\n"


def compiles(text):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.write("#include <admit.h>\n#include <time.h>\n" + text)
        source.flush()
        command = [os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Werror", "-fsyntax-only", f"-I{INCLUDE}"]
        done = subprocess.run([*command, source.name], stderr=subprocess.PIPE, text=True)
        return done.stderr if done.returncode else ""


def asserted(facts):
    return "".join(f"_Static_assert({fact}, \"{fact}\");\n" for fact in facts)


class Layout(unittest.TestCase):
    def test_structures(self):
        """the structures: their sizes, and where each field is"""
        self.assertEqual(compiles(asserted(structures())), "")

    def test_numbers(self):
        """the numbers of errors and conditions, and none of gates' errors is left out"""
        self.assertEqual(compiles(asserted(numbers())), "")
        with open(os.path.join(INCLUDE, "admit.h")) as header:
            of_gates = header.read().split("/* of gates */")[1].split("} admit_error")[0]
        named = set(re.findall(r"^    ADMIT_(\w+),", of_gates, re.MULTILINE)) | {"NO_MEMORY"}
        self.assertEqual({code.name for code in admit.Code}, named)

    def test_calls(self):
        """the calls: what they take and return"""
        self.assertEqual(compiles("".join(calls())), "")

    def test_is_noticed(self):
        """a structure, a number, a call that is another is noticed"""
        self.assertIn("sizeof", compiles(asserted(["sizeof(admit_hold) == 24"])))
        self.assertIn("ADMIT_BUSY", compiles(asserted(["ADMIT_BUSY == 31"])))
        wrong = "".join(calls()).replace("admit_gate_k((void *)0)", "admit_gate_k((void *)0, (int)0)")
        self.assertIn("too many arguments", compiles(wrong))
        wrong = "".join(calls()).replace("(admit_wait *)0", "(admit_hold *)0")
        self.assertIn("incompatible", compiles(wrong))
