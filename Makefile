# SPDX-License-Identifier: MIT
#
# make             build/admit, build/libadmit.a, build/libadmit.so
# make test        everything CI runs
# make help        all targets

CC ?= gcc
PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build
SANITIZE ?=

CFLAGS ?= -O2 -g
override CFLAGS += -std=c11 -Wall -Wextra -Werror -fno-strict-aliasing $(SANITIZE)
override CPPFLAGS += -D_GNU_SOURCE -Iinclude -Isrc
override LDFLAGS += $(SANITIZE)

# One algorithm, one file: its name is its id and, in each world, its symbol.
ALGORITHMS := $(filter-out catalogue,$(notdir $(basename $(wildcard src/algorithms/*.c))))

# --- libadmit: the native world; depends on libc alone ---------------------------------------------------------------
NATIVE_SOURCES := $(wildcard src/native/*.c) src/registers/patience.c
NATIVE_OBJECTS := $(NATIVE_SOURCES:src/%.c=$(BUILD)/native/%.o) $(ALGORITHMS:%=$(BUILD)/native/algorithms/%.o)

# --- admit: the command line, with the checker ------------------------------------------------------------------------
TOOL_SOURCES := $(wildcard src/checker/*.c) $(wildcard src/counter/*.c) $(wildcard src/cli/*.c)
TEST_ALGORITHMS := $(notdir $(basename $(wildcard tests/algorithms/*.c)))
MUTANTS := $(notdir $(basename $(wildcard tests/mutants/*.patch)))
STEPPED_OBJECTS := $(ALGORITHMS:%=$(BUILD)/stepped/%.o) $(TEST_ALGORITHMS:%=$(BUILD)/stepped/test.%.o) \
	$(MUTANTS:%=$(BUILD)/mutants/%.o)
CHECKER_OBJECTS := $(patsubst src/%.c,$(BUILD)/tool/%.o,$(filter-out src/cli/main.c,$(TOOL_SOURCES))) $(STEPPED_OBJECTS)
TOOL_OBJECTS := $(CHECKER_OBJECTS) $(BUILD)/tool/cli/main.o
TOOL_LIBS := -ljansson -lpthread -lm

all: $(BUILD)/admit $(BUILD)/libadmit.a $(BUILD)/libadmit.so

$(BUILD)/native/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -MMD -MP -c $< -o $@

$(BUILD)/native/algorithms/%.o: src/algorithms/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -MMD -MP \
		-DADMIT_ID='"$*"' -DADMIT_SYMBOL=admit_native_$* -c $< -o $@

$(BUILD)/libadmit.a: $(NATIVE_OBJECTS)
	$(AR) rcs $@ $^

$(BUILD)/libadmit.so: $(NATIVE_OBJECTS)
	$(CC) $(LDFLAGS) -shared -Wl,-soname,libadmit.so.0 $^ -o $@

# The same text again, as processes that stop before every shared access.
STEPPED = $(CC) $(CPPFLAGS) $(CFLAGS) -DADMIT_STEPPED -MMD -MP

$(BUILD)/stepped/%.o: src/algorithms/%.c
	@mkdir -p $(@D)
	$(STEPPED) -DADMIT_ID='"$*"' -DADMIT_SYMBOL=stepped_$* -c $< -o $@

$(BUILD)/stepped/test.%.o: tests/algorithms/%.c
	@mkdir -p $(@D)
	$(STEPPED) -DADMIT_ID='"test:$*"' -DADMIT_SYMBOL=stepped_test_$* -c $< -o $@

# A mutant is the shipped text with one edit: tests/mutants/ALGORITHM.NAME.patch.
$(BUILD)/mutants/%.c: tests/mutants/%.patch $(ALGORITHMS:%=src/algorithms/%.c)
	@mkdir -p $(@D)
	patch --quiet --fuzz=0 --output=$@ src/algorithms/$(firstword $(subst ., ,$*)).c $<

$(BUILD)/mutants/%.o: $(BUILD)/mutants/%.c
	$(STEPPED) -DADMIT_ID='"$(subst .,:,$*)"' -DADMIT_SYMBOL=stepped_$(subst .,__,$*) -c $< -o $@

# Which mutants and test algorithms there are, for src/checker/catalogue.c, with what each patch says of itself.
$(BUILD)/variants.h: src/checker/variants.sh $(wildcard tests/mutants tests/mutants/*.patch tests/algorithms tests/algorithms/*.c)
	@mkdir -p $(@D)
	sh src/checker/variants.sh tests/mutants tests/algorithms > $@

$(BUILD)/tool/%.o: src/%.c $(BUILD)/variants.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -I$(BUILD) $(CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/admit: $(TOOL_OBJECTS)
	$(CC) $(LDFLAGS) $^ $(TOOL_LIBS) -o $@

include tests/tests.mk
include bench/bench.mk

clean:
	rm -rf $(BUILD)

.PHONY: all clean
.SECONDARY:

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
