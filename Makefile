# SPDX-License-Identifier: MIT
#
# make               build/admit, build/libadmit.a, build/libadmit.so
# make demo          shows what there is: a lock at work, proofs, counterexamples, a claim, a lower bound
# make check-all     long explorations; their results go to docs/checked.md and docs/claims.md
# make install       to PREFIX (default /usr/local), below DESTDIR; make uninstall takes it away again
# make rooms         the folders of src, each after those that it uses
# make format        clang-format on all C files
# make clean         removes the build directory

# What is not said here is not done: a rule that make brings along would find old files in the build directory.
MAKEFLAGS += --no-builtin-rules
CC ?= gcc
PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build
SANITIZE ?=

CFLAGS ?= -O2 -g
override CFLAGS += -std=c11 -Wall -Wextra -Werror -fno-strict-aliasing $(SANITIZE)
override CPPFLAGS += -D_GNU_SOURCE -Iinclude -Isrc
override LDFLAGS += $(SANITIZE)

# One algorithm, one file: its path below src/algorithms is its id and, in each world, its symbol, for which a slash is
# written "_with_": n_bit/one_bit.c is n_bit with one_bit inside.
ALGORITHMS := $(patsubst src/algorithms/%.c,%,$(wildcard src/algorithms/*.c src/algorithms/*/*.c))
ALGORITHM_TEXTS := $(wildcard src/algorithms/*.[ch] src/algorithms/*/*.[ch] src/timestamps/*.[ch])
symbol = $(subst /,_with_,$(subst .,__,$1))

# --- libadmit: the native world; depends on libc alone ---------------------------------------------------------------
NATIVE_SOURCES := $(wildcard src/native/*.c src/gate/*.c) src/registers/patience.c
NATIVE_OBJECTS := $(NATIVE_SOURCES:src/%.c=$(BUILD)/native/%.o) $(ALGORITHMS:%=$(BUILD)/native/algorithms/%.o)

# --- admit: the command line, with the checker ------------------------------------------------------------------------
TOOL_SOURCES := $(filter-out src/histories/driven.c,$(wildcard $(foreach room,base checker counter bounds claims cli histories,\
	src/$(room)/*.c src/$(room)/*/*.c)))
TEST_ALGORITHMS := $(notdir $(basename $(wildcard tests/algorithms/*.c)))
MUTANTS := $(patsubst tests/mutants/%.patch,%,$(wildcard tests/mutants/*.patch tests/mutants/*/*.patch))
STEPPED_OBJECTS := $(ALGORITHMS:%=$(BUILD)/stepped/%.o) $(TEST_ALGORITHMS:%=$(BUILD)/stepped/test.%.o) \
	$(MUTANTS:%=$(BUILD)/mutants/%.o)
TIMESTAMPS := ideal unbounded snapshot linear
TIMESTAMP_MUTANTS := $(patsubst tests/timestamps/%.patch,%,$(wildcard tests/timestamps/*.patch))
STEPPED_OBJECTS += $(TIMESTAMPS:%=$(BUILD)/timestamps/%.o) $(TIMESTAMP_MUTANTS:%=$(BUILD)/timestamps/%.o)
CHECKER_OBJECTS := $(patsubst src/%.c,$(BUILD)/tool/%.o,$(filter-out src/cli/main.c,$(TOOL_SOURCES))) $(STEPPED_OBJECTS)
TOOL_OBJECTS := $(CHECKER_OBJECTS) $(BUILD)/tool/cli/main.o
TOOL_LIBS := -ljansson -lpthread -lm
# `admit run` is started for every command: without libraries to load and to bind it starts in two thirds of the time.
# Sanitizers do not allow it, and some systems have no libjansson.a.
STATIC ?= $(if $(SANITIZE),,$(if $(findstring /,$(shell $(CC) -print-file-name=libjansson.a)),-static))

all: $(BUILD)/admit $(BUILD)/libadmit.a $(BUILD)/libadmit.so

$(BUILD)/native/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -MMD -MP -c $< -o $@

$(BUILD)/native/algorithms/%.o: src/algorithms/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -MMD -MP \
		-DADMIT_ID='"$*"' -DADMIT_SYMBOL=admit_native_$(call symbol,$*) -c $< -o $@

$(BUILD)/libadmit.a: $(NATIVE_OBJECTS)
	$(AR) rcs $@ $^

# nodelete: a thread that took part may outlive dlclose, and gives its record back when it ends.
$(BUILD)/libadmit.so: $(NATIVE_OBJECTS)
	$(CC) $(LDFLAGS) -shared -Wl,-soname,libadmit.so.0 -Wl,-z,nodelete $^ -o $@

# The same text again, as processes that stop before every shared access.
STEPPED = $(CC) $(TEXTS) $(CPPFLAGS) $(CFLAGS) -DADMIT_STEPPED -MMD -MP

$(BUILD)/stepped/%.o: src/algorithms/%.c
	@mkdir -p $(@D)
	$(STEPPED) -DADMIT_ID='"$*"' -DADMIT_SYMBOL=stepped_$(call symbol,$*) -c $< -o $@

$(BUILD)/stepped/test.%.o: tests/algorithms/%.c
	@mkdir -p $(@D)
	$(STEPPED) -DADMIT_ID='"test:$*"' -DADMIT_SYMBOL=stepped_test_$* -c $< -o $@

# A mutant is the shipped text with one edit: tests/mutants/ALGORITHM.NAME.patch; or, what no shipped algorithm can show
# when it is broken, that of a test algorithm: test.ALGORITHM.NAME.patch. The edit is made in a copy of all texts, since
# an algorithm may be broken in one that it includes, also in a timestamp system.
mutant_text = $(BUILD)/mutants/$1/$(if $(filter test.%,$1),tests/algorithms/$(word 2,$(subst ., ,$1)),src/algorithms/$(firstword $(subst ., ,$1))).c

$(BUILD)/mutants/%/patched: tests/mutants/%.patch $(ALGORITHM_TEXTS) $(wildcard tests/algorithms/*.[ch])
	@rm -rf $(@D) && mkdir -p $(@D)/src $(@D)/tests
	@cp -r src/algorithms src/timestamps $(@D)/src && cp -r tests/algorithms $(@D)/tests
	patch --quiet --fuzz=0 --strip=0 --directory=$(@D) < $<
	@touch $@

# The copies come and go with `patched`; a .d file of the last build may still ask for them.
$(BUILD)/mutants/%.c $(BUILD)/mutants/%.h: ;

$(BUILD)/mutants/%.o: TEXTS = -I$(<D)/src
$(BUILD)/mutants/%.o: $(BUILD)/mutants/%/patched
	$(STEPPED) -DADMIT_ID='"$(subst .,:,$*)"' -DADMIT_SYMBOL=stepped_$(call symbol,$*) \
		-c $(call mutant_text,$*) -o $@

# A timestamp system as a program of its own (src/histories/driven.c); and a mutant of one, an edit of any file of
# src/timestamps: tests/timestamps/SYSTEM.NAME.patch.
DRIVEN = $(STEPPED) -DADMIT_ID='"$(subst .,:,$*)"' -DADMIT_SYMBOL=driven_$(call symbol,$*) \
	-DTIMESTAMPS='"timestamps/$(firstword $(subst ., ,$*)).h"'

$(TIMESTAMPS:%=$(BUILD)/timestamps/%.o): $(BUILD)/timestamps/%.o: src/histories/driven.c
	@mkdir -p $(@D)
	$(DRIVEN) -c $< -o $@

$(BUILD)/timestamps/%/patched: tests/timestamps/%.patch $(ALGORITHM_TEXTS)
	@rm -rf $(@D) && mkdir -p $(@D)/src
	@cp -r src/timestamps $(@D)/src
	patch --quiet --fuzz=0 --strip=0 --directory=$(@D) < $<
	@touch $@

$(BUILD)/timestamps/%.c $(BUILD)/timestamps/%.h: ;

$(TIMESTAMP_MUTANTS:%=$(BUILD)/timestamps/%.o): TEXTS = -I$(<D)/src
$(TIMESTAMP_MUTANTS:%=$(BUILD)/timestamps/%.o): $(BUILD)/timestamps/%.o: $(BUILD)/timestamps/%/patched
	$(DRIVEN) -c src/histories/driven.c -o $@

$(BUILD)/timestamps.h: src/histories/systems.sh $(wildcard tests/timestamps tests/timestamps/*.patch)
	@mkdir -p $(@D)
	sh src/histories/systems.sh tests/timestamps > $@

# Which mutants and test algorithms there are, for src/checker/model/catalogue.c, with what each patch says of itself.
$(BUILD)/variants.h: src/checker/model/variants.sh $(wildcard tests/mutants tests/mutants/*.patch tests/mutants/*/*.patch tests/algorithms tests/algorithms/*.c)
	@mkdir -p $(@D)
	sh src/checker/model/variants.sh tests/mutants tests/algorithms > $@

$(BUILD)/tool/%.o: src/%.c $(BUILD)/variants.h $(BUILD)/timestamps.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -I$(BUILD) $(CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/admit: $(TOOL_OBJECTS) $(BUILD)/libadmit.a
	$(CC) $(LDFLAGS) $(STATIC) $^ $(TOOL_LIBS) -o $@

include tests/tests.mk
include bench/bench.mk

# --- for people -------------------------------------------------------------------------------------------------------

demo: all $(EXAMPLES)
	@BUILD=$(BUILD) sh examples/demo.sh

# Long explorations; their results are the tables in docs/checked.md and docs/claims.md.
check-all: all
	BUILD=$(BUILD) sh tests/check-all.sh docs/checked.md docs/claims.md

VERSION := $(shell sed -n 's/^\#define ADMIT_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' include/admit.h | paste -sd.)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include \
		$(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(BUILD)/admit $(DESTDIR)$(PREFIX)/bin/
	install -m 644 $(BUILD)/libadmit.a $(DESTDIR)$(PREFIX)/lib/
	install -m 755 $(BUILD)/libadmit.so $(DESTDIR)$(PREFIX)/lib/libadmit.so.$(VERSION)
	ln -sf libadmit.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/libadmit.so.0
	ln -sf libadmit.so.0 $(DESTDIR)$(PREFIX)/lib/libadmit.so
	install -m 644 include/admit.h $(DESTDIR)$(PREFIX)/include/
	install -m 644 docs/man/admit.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' admit.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/admit.pc

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/admit $(DESTDIR)$(PREFIX)/include/admit.h $(DESTDIR)$(PREFIX)/share/man/man1/admit.1 \
		$(DESTDIR)$(PREFIX)/lib/pkgconfig/admit.pc $(addprefix $(DESTDIR)$(PREFIX)/lib/libadmit.,a so so.0 so.$(VERSION))

rooms:
	@sh tests/include_graph.sh | tsort | tac

format:
	clang-format -i $(shell git ls-files '*.c' '*.h' ':!tests/spin') # Promela is not C

help:
	@sed -n 's/^# make/make/p' Makefile tests/tests.mk bench/bench.mk

clean:
	rm -rf $(BUILD)

.PHONY: all demo check-all install uninstall rooms format help clean
.SECONDARY:

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
