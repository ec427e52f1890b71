# SPDX-License-Identifier: MIT
#
# make test          everything CI runs
# make test-binaries what suites are made of, and nothing is run; then tests/run BUILD=build SUITE..., in any order
# make test-native   locks and gates among threads and processes: tests/native; its stress is about the locks
# make test-faults   the gate in a world that fails it
# make test-gate-full  kill storm, overtaking and time-outs of the gate, in full size: 5000 kills, a million each
# make test-cluster  the client of etcd and the gate there, before servers of their own that are killed, stopped and cut off;
#                    its storm of faults at random is no part of test
# make test-asan     native, unit and command line suites under AddressSanitizer and UBSan, with debug checks on
# make test-tsan     the locks and the explorer under ThreadSanitizer
# make test-clang    everything built with clang; the native and unit suites run: a second compiler's opinion
# make test-musl     the gate with another libc, and where processes of both meet
# make cross         everything built for arm64 and run by an emulator: docs/homes.md; says what it needs, and is no part of test
# make judge-jobserver  `admit jobserver` before judges that nobody here wrote, GNU make's own suite and three builds of which
#                    one is killed: docs/judges.md. Fetches that suite with apt-get; some minutes, and no part of test
#
# make mutate        one-line mutants of src/gate and src/native, MUTATE_COUNT of them drawn by MUTATE_SEED, from
#                    MUTATE_FILES if given: which of them no suite notices; an hour or two (tests/mutate/run)
#
# A suite is a program that writes TAP. It is found by where it lies: tests/native/*.c, tests/faults/*.c and
# tests/unit/*.c (cmocka), tests/cluster/*.c (cmocka, where the header of libcurl is), tests/cli/*.bats, tests/suites/*.sh.
# Suites learn from BUILD in the environment which build they test (tests/run BUILD=build; scripts that are not told test
# `build`), and make themselves small if ADMIT_TEST_QUICK is set. The cases of tests/python are those of
# tests/suites/python.sh.

NATIVE_SUITES := $(patsubst tests/native/%.c,$(BUILD)/tests/native/%,$(sort $(wildcard tests/native/*.c)))
FAULT_SUITES := $(patsubst tests/faults/%.c,$(BUILD)/tests/faults/%,$(sort $(wildcard tests/faults/*.c)))
UNIT_SUITES := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(sort $(wildcard tests/unit/*.c)))
CLUSTER_SUITES := $(if $(HAS_CURL),$(patsubst tests/cluster/%.c,$(BUILD)/tests/cluster/%,$(sort $(wildcard tests/cluster/*.c))))
CLUSTER_FIXTURE := $(patsubst tests/cluster/fixture/%.c,$(BUILD)/tests/cluster/fixture/%.o,$(wildcard tests/cluster/fixture/*.c))
CLI_SUITES := $(sort $(wildcard tests/cli/*.bats))
SCRIPT_SUITES := $(sort $(wildcard tests/suites/*.sh))
# In homes without one, tests/homes has a header that does; then this is empty.
CMOCKA ?= -lcmocka
VISITOR := $(BUILD)/tests/homes/visitor
EXAMPLES := $(patsubst examples/%.c,$(BUILD)/examples/%,$(sort $(wildcard examples/*.c)))

# --- what to run: arguments for tests/run -----------------------------------------------------------------------------
# The longest first, so that none is left to run alone in the end. Those that keep no core busy run beside the others: the
# faults, all locks but two, and what watches gates.
LONGEST := %/mutants.sh %/stress %/claims.bats %/idle %/local_spin.bats
longest_first = $(filter $(LONGEST),$1) $(filter-out $(LONGEST),$1)
in_build = $(patsubst $(BUILD)/%,$(BUILD)/$1/%,$2)
SLEEPY_CLI := $(filter %/top.bats,$(CLI_SUITES))
BUSY_CLI := $(filter-out $(SLEEPY_CLI),$(CLI_SUITES))
BUSY_LOCKS := $(filter %/stress %/gate_storm,$(NATIVE_SUITES))
IDLE_LOCKS := $(filter-out $(BUSY_LOCKS),$(NATIVE_SUITES))
HERE = BUILD=$(BUILD) $(call longest_first,$(BUSY_LOCKS) $(UNIT_SUITES) $(BUSY_CLI) $(SCRIPT_SUITES)) \
	ASLEEP=1 $(SLEEPY_CLI) $(filter-out %/cluster/gate_storm,$(CLUSTER_SUITES)) $(IDLE_LOCKS) $(FAULT_SUITES) ASLEEP=
# What is about time and servers more than about memory.
FAULTS_OF_SERVERS := %/quorum $(addprefix %/cluster/gate_,partition quorum run storm store)
# What explores so much that it takes minutes with a sanitizer, by code that the others go through too.
EXPLORES_MUCH := %/unit/idle $(addprefix %/cli/,local_spin.bats count.bats bound.bats)
ASAN = BUILD=$(BUILD)/asan ADMIT_TEST_QUICK=1 \
	$(call longest_first,$(filter-out $(EXPLORES_MUCH),$(call in_build,asan,$(BUSY_LOCKS) $(UNIT_SUITES)) $(BUSY_CLI))) \
	ASLEEP=1 $(SLEEPY_CLI) $(call in_build,asan,$(filter-out $(FAULTS_OF_SERVERS),$(CLUSTER_SUITES)) $(IDLE_LOCKS) $(FAULT_SUITES)) ASLEEP=
TSAN_SUITES := $(patsubst %,$(BUILD)/tsan/tests/native/%,stress gate_line gate_owner gate_threads) \
	$(call in_build,tsan,$(filter %/watching %/gate %/names,$(CLUSTER_SUITES)))
TSAN = BUILD=$(BUILD)/tsan ADMIT_TEST_QUICK=1 $(TSAN_SUITES) tests/suites/threads.sh
CLANG = BUILD=$(BUILD)/clang ADMIT_TEST_QUICK=1 $(call longest_first,$(call in_build,clang,$(BUSY_LOCKS) $(UNIT_SUITES))) \
	ASLEEP=1 $(call in_build,clang,$(IDLE_LOCKS)) ASLEEP=
# What a libc can make a difference to; the faults, which take a while, only where that is all that is asked for. The
# command line needs libraries that are not there for musl: the faults meet that of the other build.
HAS_MUSL := $(shell command -v musl-gcc)
MUSL_SUITES := $(if $(HAS_MUSL),$(filter-out %/run_killed %/stress %/stopped %/thrift %/timestamps,$(call in_build,musl,$(NATIVE_SUITES))))
MUSL = BUILD=$(BUILD)/musl ADMIT_TEST_QUICK=1 $(filter %/gate_storm,$(MUSL_SUITES)) \
	ASLEEP=1 $(filter-out %/gate_storm,$(MUSL_SUITES)) ASLEEP=
MUSL_FAULTS := $(if $(HAS_MUSL),$(call in_build,musl,$(FAULT_SUITES)))

# --- and what must be built for it ------------------------------------------------------------------------------------
headline = @$(if $(silent),:,echo '--- $1')
# All cores, unless make was told how many.
PARALLEL = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))
BUILD_HERE = +@$(MAKE) --no-print-directory $(PARALLEL) test-binaries
# The other builds are for tests. In them the mutants need not be fast, and ThreadSanitizer's suites run none.
BUILD_ASAN = +@$(MAKE) --no-print-directory $(PARALLEL) test-binaries BUILD=$(BUILD)/asan CPPFLAGS=-DADMIT_DEBUG \
	SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all' MUTANT_FLAGS=-O0
BUILD_TSAN = +@$(MAKE) --no-print-directory $(PARALLEL) $(TSAN_SUITES) $(BUILD)/tsan/admit BUILD=$(BUILD)/tsan \
	CPPFLAGS=-DADMIT_DEBUG SANITIZE=-fsanitize=thread MUTANTS= TIMESTAMP_MUTANTS=
BUILD_CLANG = +@$(MAKE) --no-print-directory $(PARALLEL) test-binaries BUILD=$(BUILD)/clang CC=clang MUTANT_FLAGS=-O0
WITH_MUSL = +@$(MAKE) --no-print-directory $(PARALLEL) BUILD=$(BUILD)/musl CC=musl-gcc CPPFLAGS=-Itests/homes CMOCKA= \
	RUN_BY_SUITES= MUTANTS= TIMESTAMP_MUTANTS=
BUILD_MUSL = $(if $(HAS_MUSL),$(WITH_MUSL) $(MUSL_SUITES) $(call in_build,musl,$(VISITOR)) $(BUILD)/musl/libadmit.so)
BUILD_MUSL_FAULTS = $(if $(HAS_MUSL),$(WITH_MUSL) $(MUSL_FAULTS))

test:
	$(call headline,$(BUILD))
	$(BUILD_HERE)
	$(call headline,$(BUILD)/asan: AddressSanitizer and UBSan)
	$(BUILD_ASAN)
	$(call headline,$(BUILD)/tsan: ThreadSanitizer)
	$(BUILD_TSAN)
	$(call headline,$(BUILD)/clang: clang)
	$(BUILD_CLANG)
	$(call headline,$(BUILD)/musl: musl)
	$(BUILD_MUSL)
	$(call headline,suites)
	@tests/run $(HERE) $(ASAN) $(TSAN) $(CLANG) $(MUSL)

# What the gate claims, in the sizes in which it claims it: some minutes.
test-gate-full: $(addprefix $(BUILD)/tests/,native/gate_storm native/gate_line faults/contended_killed) $(filter %/gate_storm,$(CLUSTER_SUITES))
	@ADMIT_TEST_FULL=1 CMOCKA_MESSAGE_OUTPUT=STDOUT $(BUILD)/tests/native/gate_storm
	@ADMIT_TEST_FULL=1 CMOCKA_MESSAGE_OUTPUT=STDOUT $(BUILD)/tests/native/gate_line
	@ADMIT_TEST_FULL=1 CMOCKA_MESSAGE_OUTPUT=STDOUT $(BUILD)/tests/faults/contended_killed
	$(if $(CLUSTER_SUITES),@ADMIT_TEST_FULL=1 CMOCKA_MESSAGE_OUTPUT=STDOUT $(BUILD)/tests/cluster/gate_storm)

test-native:
	+@$(MAKE) --no-print-directory $(PARALLEL) $(NATIVE_SUITES)
	@tests/run BUILD=$(BUILD) $(NATIVE_SUITES)

test-faults:
	+@$(MAKE) --no-print-directory $(PARALLEL) $(BUILD)/admit $(FAULT_SUITES)
	@tests/run BUILD=$(BUILD) $(FAULT_SUITES)

test-cluster:
	+@$(MAKE) --no-print-directory $(PARALLEL) $(or $(CLUSTER_SUITES),without-etcd)
	@$(if $(CLUSTER_SUITES),tests/run BUILD=$(BUILD) $(CLUSTER_SUITES))

test-asan:
	$(BUILD_ASAN)
	@tests/run $(ASAN)

test-tsan:
	$(BUILD_TSAN)
	@tests/run $(TSAN)

test-clang:
	$(BUILD_CLANG)
	@tests/run $(CLANG)

test-musl: $(BUILD)/admit $(VISITOR)
	$(BUILD_MUSL)
	$(BUILD_MUSL_FAULTS)
	@tests/run $(MUSL) BUILD=$(BUILD) tests/suites/meeting.sh ASLEEP=1 $(MUSL_FAULTS) ASLEEP=

test-binaries: all $(NATIVE_SUITES) $(FAULT_SUITES) $(UNIT_SUITES) $(CLUSTER_SUITES) $(EXAMPLES) $(VISITOR)

# Static, since an emulated program finds no libraries here; libadmit.so cannot be.
ARM64 = $(BUILD)/arm64
CROSS = +@$(MAKE) --no-print-directory $(PARALLEL) BUILD=$(ARM64) CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar CMOCKA= \
	MUTANTS= TIMESTAMP_MUTANTS= CPPFLAGS='-Itests/homes -isystem $(ARM64)/debian/usr/include'
cross:
	@tests/homes/arm64.sh needs
	@tests/homes/arm64.sh fetch $(ARM64)/debian
	$(CROSS) $(ARM64)/libadmit.a $(ARM64)/libadmit.so
	$(CROSS) LDFLAGS='-static -L$(ARM64)/debian/usr/lib/aarch64-linux-gnu' STATIC=-static $(ARM64)/admit \
		$(call in_build,arm64,$(NATIVE_SUITES) $(filter-out %/dlclose,$(FAULT_SUITES)) $(EXAMPLES))
	@tests/homes/arm64.sh process $(ARM64)
	@tests/homes/arm64.sh machine $(ARM64) $(ARM64)/debian

# What they found is in docs/judges.md.
JUDGE_TOOLS := $(patsubst tests/judges/%.c,$(BUILD)/judges/%,$(wildcard tests/judges/*.c))
$(JUDGE_TOOLS): $(BUILD)/judges/%: tests/judges/%.c
	@mkdir -p $(@D)
	$(call say,CC     ,$<)$(CC) $(CPPFLAGS) $(CFLAGS) $< -o $@

judge-jobserver: $(BUILD)/admit $(JUDGE_TOOLS)
	BUILD=$(BUILD) tests/judges/make_suite.sh $(JUDGE_K)
	BUILD=$(BUILD) tests/judges/builds.py --rounds $(or $(JUDGE_ROUNDS),20)

# Mutants of the native layers. The tool compiles each as the library's own objects are, whatever the compiler thinks
# of it.
MUTATE_SEED ?= 1
MUTATE_COUNT ?= 200
MUTATE_FILES ?=
mutate:
	@BUILD=$(BUILD) MAKE=$(MAKE) tests/mutate/run $(MUTATE_SEED) $(MUTATE_COUNT) $(MUTATE_FILES)

$(BUILD)/mutant.o: FORCE
	@$(COMPILE) -w -fPIC -fvisibility=hidden -c $(MUTANT) -o $@

# --- how to build a suite ---------------------------------------------------------------------------------------------
JUDGES := $(filter %/label_graph.o %/die.o,$(TOOL_PARTS))
# Locks that are wrong on purpose. The debug checks are always on in them; `barges_in` is a mutant of the One-Bit
# algorithm, and `unordered` that algorithm as it stands, with every access relaxed.
BROKEN_LOCKS := $(patsubst tests/native/broken/%.c,$(BUILD)/tests/broken/%.o,$(wildcard tests/native/broken/*.c))
BROKEN := $(BROKEN_LOCKS) $(BUILD)/tests/broken/barges_in.o $(BUILD)/tests/broken/unordered.o
# The library without looks; nothing, where all of it is built so.
NO_LOOKS ?= $(addprefix $(BUILD)/tests/no_looks/,sleep/sleep.o protocol/outside.o)
TEST_OBJECTS := $(addsuffix .o,$(NATIVE_SUITES) $(FAULT_SUITES) $(UNIT_SUITES) $(CLUSTER_SUITES) $(EXAMPLES) $(VISITOR)) \
	$(CLUSTER_FIXTURE) $(BROKEN) $(NO_LOOKS)

$(UNIT_SUITES:=.o): $(BUILD)/%.o: %.c | $(BUILD)/variants.h $(BUILD)/timestamps.h
	@mkdir -p $(@D)
	$(call say,CC     ,$<)$(COMPILE) -I$(BUILD) -c $< -o $@

$(NATIVE_SUITES:=.o) $(EXAMPLES:=.o) $(VISITOR).o: $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC     ,$<)$(COMPILE) -c $< -o $@

$(FAULT_SUITES:=.o): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC     ,$<)$(COMPILE) -Itests/native -c $< -o $@

$(CLUSTER_SUITES:=.o) $(CLUSTER_FIXTURE): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC     ,$<)$(COMPILE) -Itests/cluster/fixture -c $< -o $@

LINK = $(call say,LD     ,$@)$(CC) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^)

$(UNIT_SUITES): %: %.o $(BUILD)/libchecker.a $(BUILD)/libadmit.a
	$(LINK) $(TOOL_LIBS) $(CMOCKA) -o $@

$(NATIVE_SUITES): %: %.o $(BUILD)/tests/broken.a $(BUILD)/libadmit.a
	$(LINK) $(CMOCKA) -lpthread -o $@

$(CLUSTER_SUITES): %: %.o $(CLUSTER_FIXTURE) $(BUILD)/libadmit-etcd.a $(BUILD)/libadmit.a
	$(LINK) -Wl,-u,admit_elsewhere_provide $(CLUSTER_LIBS) $(CMOCKA) -o $@

# It runs the command line, which becomes admit-etcd.
$(BUILD)/tests/cluster/gate_run: | $(BUILD)/admit $(BUILD)/admit-etcd

# Some of them run the command line.
RUN_BY_SUITES ?= $(BUILD)/admit
$(FAULT_SUITES): %: %.o $(BUILD)/libadmit.a | $(RUN_BY_SUITES)
	$(LINK) $(CMOCKA) -lpthread -o $@

$(EXAMPLES) $(VISITOR): %: %.o $(BUILD)/libadmit.a
	$(LINK) -lpthread -o $@

# What threads have seen of each other's timestamps is judged as in the checker.
$(BUILD)/tests/native/timestamps: $(JUDGES)

# What it goes through is to be the same each time: not the loader's work at a first call.
$(BUILD)/tests/faults/contended_killed: private override LDFLAGS += -Wl,-z,now

# It kills the command line.
$(BUILD)/tests/native/run_killed: | $(RUN_BY_SUITES)

# In these no sleeper looks by itself: a wake-up that is missing is a hang.
$(addprefix $(BUILD)/tests/,native/gate_woken native/gate_outside faults/woken): $(NO_LOOKS)

$(BUILD)/tests/no_looks/%.o: src/gate/%.c
	@mkdir -p $(@D)
	$(call say,CC     ,$< (without looks))$(COMPILE) -DADMIT_NO_LOOKS -c $< -o $@

# What it loads and unloads: the library itself, and a plugin that has it inside.
$(BUILD)/tests/faults/dlclose: | $(BUILD)/libadmit.so $(BUILD)/tests/faults/plugin.so

$(BUILD)/tests/faults/plugin.so: $(BUILD)/libadmit.a
	@mkdir -p $(@D)
	$(call say,LD     ,$@)$(CC) $(LDFLAGS) -shared -Wl,--whole-archive $< -Wl,--no-whole-archive -lpthread -o $@

$(BUILD)/tests/broken.a: $(BROKEN)
	$(call say,AR     ,$@)$(ARCHIVE) $^

$(BROKEN_LOCKS): $(BUILD)/tests/broken/%.o: tests/native/broken/%.c
	@mkdir -p $(@D)
	$(call say,CC     ,$<)$(COMPILE) -DADMIT_DEBUG -DADMIT_ID='"$*"' -DADMIT_SYMBOL=broken_$* -c $< -o $@

$(BUILD)/tests/broken/barges_in.o: $(BUILD)/mutants/one_bit.no_second_wait/edited
	@mkdir -p $(@D)
	$(call say,CC     ,$(<D)/$(call mutant_text,one_bit))$(CC) $(call with_edit_in,$(<D)) $(CPPFLAGS) $(CFLAGS) -MMD \
		-DADMIT_DEBUG -DADMIT_ID='"barges_in"' -DADMIT_SYMBOL=broken_barges_in -c $(<D)/$(call mutant_text,one_bit) -o $@

$(BUILD)/tests/broken/unordered.o: src/algorithms/one_bit.c
	@mkdir -p $(@D)
	$(call say,CC     ,$< (unordered))$(COMPILE) -U__ATOMIC_SEQ_CST -D__ATOMIC_SEQ_CST=__ATOMIC_RELAXED \
		-Wno-builtin-macro-redefined -DADMIT_ID='"unordered"' -DADMIT_SYMBOL=broken_unordered -c $< -o $@

.PHONY: test test-native test-faults test-cluster test-gate-full test-asan test-tsan test-clang test-musl cross test-binaries judge-jobserver
.PHONY: mutate test test-native test-faults test-gate-full test-asan test-tsan test-clang test-binaries
