# SPDX-License-Identifier: MIT
#
# make               build/admit, build/libadmit.a, build/libadmit.so, and with curl.h and jansson build/libadmit-etcd.a
# make demo          a dozen jobs at a gate of three, two of them killed on the way; a proof and a counterexample
# make demo-checker  what the checker shows: the catalogue, proofs, counterexamples, a claim, a lower bound
# make check-all     long explorations; their results go to docs/checked.md and docs/claims.md
# make check-all ONLY=gate   those alone whose setting matches; other rows stay
# make catalogue     the table of the catalogue in docs/checking.md, anew
# make pictures      of the runs in docs, from their traces
# make install       to PREFIX (default /usr/local), below DESTDIR. BINDIR, LIBDIR, LIBEXECDIR, INCLUDEDIR, DATADIR, MANDIR,
#                    PYTHONDIR: elsewhere for some of it
# make uninstall     takes away what make install put there, said the same PREFIX and so on
# make rooms         the folders of src, each after those that it uses
# make format        clang-format on all C files, also those that git has not been told of
# make clean         removes the build directory
# make help          these lines
# make V=1           any of them, with every command shown; make -s shows nothing
# make MUTANTS= TIMESTAMP_MUTANTS=   any of them without the broken variants, of which tests are; or with some alone:
#                    MUTANTS='one_bit.lingers queue.%', by the names of the files in tests/mutants

# What is not said here is not done: a rule that make brings along would find old files in the build directory.
MAKEFLAGS += --no-builtin-rules
CC ?= gcc
BUILD ?= build
SANITIZE ?=
MUTANT_FLAGS ?=

# Debian's musl-gcc looks only where musl's headers are, and those of the kernel lie with glibc's: last, so that nothing
# is found there that musl has.
KERNEL_HEADERS ?= $(if $(filter musl-gcc,$(notdir $(CC))),$(addprefix -idirafter /usr/include/,. $(shell gcc -print-multiarch)))

CFLAGS ?= -O2 -g
# Whoever only wants to install it, with a compiler that warns of more than ours, says WERROR= .
WERROR ?= -Werror
override CFLAGS += -std=c11 -Wall -Wextra $(WERROR) -fno-strict-aliasing $(SANITIZE)
override CPPFLAGS += -D_GNU_SOURCE -Iinclude -Isrc $(KERNEL_HEADERS)
override LDFLAGS += $(SANITIZE)

# --- where things are installed ----------------------------------------------------------------------------------------
# GNU's own names, in small letters, do as well: make install prefix=/usr libdir=/usr/lib64
DESTDIR ?=
PREFIX ?= $(or $(prefix),/usr/local)
# Not every shell makes a home of ~ within a word, and none does so in admit.pc.
override PREFIX := $(patsubst ~/%,$(HOME)/%,$(PREFIX))
BINDIR ?= $(or $(bindir),$(PREFIX)/bin)
LIBDIR ?= $(or $(libdir),$(PREFIX)/lib)
LIBEXECDIR ?= $(or $(libexecdir),$(PREFIX)/libexec)
INCLUDEDIR ?= $(or $(includedir),$(PREFIX)/include)
DATADIR ?= $(or $(datadir),$(PREFIX)/share)
MANDIR ?= $(or $(mandir),$(DATADIR)/man)

# --- where the sources are --------------------------------------------------------------------------------------------
# The rooms of src, below which every .c file, also in a folder of a room, is compiled: for libadmit, and for admit.
NATIVE_ROOMS := native gate registers
TOOL_ROOMS := base markup checker histories counter bounds claims cli
CLUSTER_ROOMS := cluster
# A timestamp system as a program of its own: compiled once for each system, and for each mutant of one.
DRIVEN := src/histories/driven.c
# What lists the mutants and the test algorithms for the catalogue, and the mutants of the timestamp systems.
LIST_VARIANTS := src/checker/model/variants.sh
LIST_SYSTEMS := src/histories/systems.sh
SAID := tests/said.sh
# What gathers the texts that admit shows, and with what it shows them.
GATHER_TEXTS := src/checker/picture/texts.sh
PAGE := $(addprefix src/checker/picture/,page.css page.js svg.css svg.defs)

# In a call of the shell \# is one character to some versions of make, and two to others.
hash := \#
sources_in = $(foreach room,$1,$(wildcard src/$(room)/*.c src/$(room)/*/*.c))

# One algorithm, one file: its path below src/algorithms is its id and, in each world, its symbol, for which a slash is
# written "_with_": n_bit/one_bit.c is n_bit with one_bit inside.
ALGORITHMS := $(patsubst src/algorithms/%,%,$(basename $(call sources_in,algorithms)))
TEST_ALGORITHMS := $(notdir $(basename $(wildcard tests/algorithms/*.c)))
ALL_MUTANTS := $(patsubst tests/mutants/%.patch,%,$(wildcard tests/mutants/*.patch tests/mutants/*/*.patch))
TIMESTAMPS := ideal unbounded snapshot linear
ALL_TIMESTAMP_MUTANTS := $(patsubst tests/timestamps/%.patch,%,$(wildcard tests/timestamps/*.patch))
# Or so many of them as make is told of, none if it is told of nothing: MUTANTS='one_bit.lingers queue.%'
MUTANTS := $(ALL_MUTANTS)
TIMESTAMP_MUTANTS := $(ALL_TIMESTAMP_MUTANTS)
chosen = $(foreach name,$1,$(if $(filter $(name),$2),,$(error there is no $3/$(name).patch)))$(filter $1,$2)
override MUTANTS := $(strip $(call chosen,$(MUTANTS),$(ALL_MUTANTS),tests/mutants))
override TIMESTAMP_MUTANTS := $(strip $(call chosen,$(TIMESTAMP_MUTANTS),$(ALL_TIMESTAMP_MUTANTS),tests/timestamps))
symbol = $(subst /,_with_,$(subst .,__,$1))

# --- what is made of them ---------------------------------------------------------------------------------------------
NATIVE_PARTS := $(patsubst src/%.c,$(BUILD)/native/%.o,$(call sources_in,$(NATIVE_ROOMS)))
NATIVE_TEXTS := $(ALGORITHMS:%=$(BUILD)/native/algorithms/%.o)
NATIVE_OBJECTS := $(NATIVE_PARTS) $(NATIVE_TEXTS)

TOOL_MAIN := $(BUILD)/tool/cli/main.o
TOOL_PARTS := $(patsubst src/%.c,$(BUILD)/tool/%.o,$(filter-out $(DRIVEN),$(call sources_in,$(TOOL_ROOMS))))
STEPPED_TEXTS := $(ALGORITHMS:%=$(BUILD)/stepped/%.o)
STEPPED_TEST_TEXTS := $(TEST_ALGORITHMS:%=$(BUILD)/stepped/test.%.o)
DRIVEN_TEXTS := $(TIMESTAMPS:%=$(BUILD)/timestamps/%.o)
MUTANT_TEXTS := $(MUTANTS:%=$(BUILD)/mutants/%.o)
# All files that may have a marker in them.
SHOWN_TEXTS := $(sort $(wildcard src/algorithms/*.[ch] src/algorithms/*/*.c src/timestamps/*.h tests/algorithms/*.[ch]))
DRIVEN_MUTANT_TEXTS := $(TIMESTAMP_MUTANTS:%=$(BUILD)/timestamps/%.o)
# What reaches other machines, where there is what it is made with; nothing, and a word about it, where there is not. Of libcurl it
# needs the header: the library is loaded by whoever needs TLS.
CLUSTER_OBJECTS := $(patsubst src/%.c,$(BUILD)/cluster/%.o,$(call sources_in,$(CLUSTER_ROOMS)))
CLUSTER_LIBS := -ljansson -lpthread
HAS_CURL := $(shell printf '$(hash)include <%s>\n' curl/curl.h jansson.h | $(CC) $(CPPFLAGS) -E -x c - >/dev/null 2>&1 && echo yes)
CLUSTER := $(if $(HAS_CURL),$(addprefix $(BUILD)/,libadmit-etcd.a libadmit-etcd.so admit-etcd),without-etcd)
HELPER_MAIN := $(BUILD)/tool/cli/etcd.o
CHECKER_OBJECTS := $(filter-out $(TOOL_MAIN) $(HELPER_MAIN),$(TOOL_PARTS)) $(STEPPED_TEXTS) $(STEPPED_TEST_TEXTS) $(DRIVEN_TEXTS) \
	$(MUTANT_TEXTS) $(DRIVEN_MUTANT_TEXTS) $(BUILD)/texts.o
# The terminal of `admit top`; without it that prints lines. Asked of the linker: a static admit needs static ones.
CURSES_LIBS := -lncursesw -ltinfo
# `admit run` is started for every command: without libraries to load and to bind it starts in two thirds of the time.
# Sanitizers do not allow it, and some systems have no libjansson.a.
STATIC ?= $(if $(SANITIZE),,$(if $(findstring /,$(shell $(CC) -print-file-name=libjansson.a)),-static))

HAS_CURSES := $(shell printf '$(hash)include <curses.h>\nint main(void) { return endwin(); }\n' | \
	$(CC) $(CPPFLAGS) $(LDFLAGS) $(STATIC) -x c - $(CURSES_LIBS) -o /dev/null >/dev/null 2>&1 && echo yes)
TOOL_LIBS := -ljansson $(if $(HAS_CURSES),$(CURSES_LIBS)) -lpthread -lm
# What admit becomes for a gate on etcd has to look up names, and perhaps to load libcurl, which is not for static programs.
# All others that it needs can be: so it starts with libc alone.
statically = $(if $(STATIC),$(patsubst -l%,-l:lib%.a,$1),$1)
HELPER_LIBS := $(call statically,-ljansson $(if $(HAS_CURSES),$(CURSES_LIBS))) -lpthread -lm

all: $(BUILD)/admit $(BUILD)/libadmit.a $(BUILD)/libadmit.so $(CLUSTER)

# --- how each step is told and done -----------------------------------------------------------------------------------
# Begins a command: tells in one line what it does, and keeps the command itself to itself unless V is set.
silent := $(findstring s,$(filter-out -%,$(firstword $(MAKEFLAGS))))
say = $(if $(filter-out 0,$(V)),,@$(if $(silent),,$(info $1 $2)))

# -MMD: a .d file beside each object tells make which texts it was made from, for the next time.
COMPILE = $(CC) $(CPPFLAGS) $(CFLAGS) -MMD
# Whoever breaks an algorithm, to see what becomes of it, takes away a goto and leaves its label: a warning will do.
BROKEN_TEXT_WILL_DO := $(addprefix -Wno-error=unused-,label variable but-set-variable function)
# The same text again, as processes that stop before every shared access.
STEPPED = $(CC) $(EDITED) $(CPPFLAGS) $(CFLAGS) $(BROKEN_TEXT_WILL_DO) $(TEXT_FLAGS) -DADMIT_STEPPED -MMD
# Anew, so that no object stays in an archive whose source is gone.
ARCHIVE = rm -f $@ && $(AR) rcs $@

# Which objects there are, and texts within admit. Written only when one comes or goes; what has all of them in it depends
# on it.
NAMES := $(patsubst $(BUILD)/%,%,$(NATIVE_OBJECTS) $(CHECKER_OBJECTS) $(CLUSTER_OBJECTS)) $(SHOWN_TEXTS) $(PAGE)
$(BUILD)/names: $(if $(filter-out $(file < $(BUILD)/names),$(NAMES))$(filter-out $(NAMES),$(file < $(BUILD)/names)),FORCE)
	@mkdir -p $(@D)
	@echo '$(NAMES)' > $@

# Whether there is ncurses. Written when that becomes otherwise.
$(BUILD)/tool/cli/gates/top_screen.o: override CPPFLAGS += $(if $(HAS_CURSES),-DADMIT_HAS_CURSES)
$(BUILD)/tool/cli/gates/top_screen.o: $(BUILD)/curses
$(BUILD)/curses: $(if $(filter is-$(HAS_CURSES),is-$(file < $(BUILD)/curses)),,FORCE)
	@mkdir -p $(@D)
	@echo '$(HAS_CURSES)' > $@

# --- libadmit: the native world; depends on libc alone ---------------------------------------------------------------
$(NATIVE_PARTS): $(BUILD)/native/%.o: src/%.c
	@mkdir -p $(@D)
	$(call say,CC     ,$<)$(COMPILE) -fPIC -fvisibility=hidden -c $< -o $@

$(NATIVE_TEXTS): $(BUILD)/native/algorithms/%.o: src/algorithms/%.c
	@mkdir -p $(@D)
	$(call say,CC     ,$<)$(COMPILE) $(BROKEN_TEXT_WILL_DO) -fPIC -fvisibility=hidden \
		-DADMIT_ID='"$*"' -DADMIT_SYMBOL=admit_native_$(call symbol,$*) -c $< -o $@

$(BUILD)/libadmit.a: $(NATIVE_OBJECTS) $(BUILD)/names
	$(call say,AR     ,$@)$(ARCHIVE) $(NATIVE_OBJECTS)

# The link has the library's soname: without it a program that was linked with -L$(BUILD) would not start.
# nodelete: a thread that took part may outlive dlclose, and gives its record back when it ends. ORIGIN: it loads
# libadmit-etcd.so.0, which lies beside it. In a directory of the system it is found without that.
BESIDE ?= -Wl,-rpath,'$$ORIGIN'
$(BUILD)/libadmit.so: $(NATIVE_OBJECTS) $(BUILD)/names
	$(call say,LD     ,$@)$(CC) $(LDFLAGS) -shared -Wl,-soname,libadmit.so.0 -Wl,-z,nodelete $(BESIDE) $(NATIVE_OBJECTS) -o $@
	@ln -sf $(@F) $@.0

# --- admit: the command line, with the checker ------------------------------------------------------------------------
$(STEPPED_TEXTS): $(BUILD)/stepped/%.o: src/algorithms/%.c
	@mkdir -p $(@D)
	$(call say,CC     ,$< (stepped))$(STEPPED) -DADMIT_ID='"$*"' -DADMIT_SYMBOL=stepped_$(call symbol,$*) -c $< -o $@

$(STEPPED_TEST_TEXTS): $(BUILD)/stepped/test.%.o: tests/algorithms/%.c
	@mkdir -p $(@D)
	$(call say,CC     ,$< (stepped))$(STEPPED) -DADMIT_ID='"test:$*"' -DADMIT_SYMBOL=stepped_test_$* -c $< -o $@

DRIVE = $(STEPPED) -DADMIT_ID='"$(subst .,:,$*)"' -DADMIT_SYMBOL=driven_$(call symbol,$*) \
	-DTIMESTAMPS='"timestamps/$(firstword $(subst ., ,$*)).h"'

$(DRIVEN_TEXTS): $(BUILD)/timestamps/%.o: $(DRIVEN)
	@mkdir -p $(@D)
	$(call say,CC     ,$< (src/timestamps/$*.h))$(DRIVE) -c $< -o $@

# A mutant is the shipped text with one edit: tests/mutants/ALGORITHM.NAME.patch; or, what no shipped algorithm can show
# when it is broken, that of a test algorithm: test.ALGORITHM.NAME.patch; or that of a timestamp system, an edit of any
# file of src/timestamps: tests/timestamps/SYSTEM.NAME.patch.
#
# The edit is made in copies of the text and of those that the patch names, which may be any that the text includes. The
# copies are found before the texts that they were copied from, also by those that are not copied, since the texts
# include each other by paths from src. So a mutant depends on its patch and on what it includes, and on nothing else.
mutant_text = $(if $(filter test.%,$1),tests/algorithms/$(word 2,$(subst ., ,$1)),src/algorithms/$(firstword $(subst ., ,$1))).c
with_edit_in = -I$1/src -Itests/algorithms

$(BUILD)/mutants/%/edited: tests/mutants/%.patch tests/edit.sh
	$(call say,PATCH  ,$<)sh tests/edit.sh $< $(@D) $(call mutant_text,$*)

$(BUILD)/timestamps/%/edited: tests/timestamps/%.patch tests/edit.sh
	$(call say,PATCH  ,$<)sh tests/edit.sh $< $(@D) $(DRIVEN)

# A copy goes by the name of the text that it was copied from: where its markers stand is looked up in that.
$(MUTANT_TEXTS) $(DRIVEN_MUTANT_TEXTS): EDITED = $(call with_edit_in,$(<D)) -fmacro-prefix-map=$(<D)/=
$(MUTANT_TEXTS) $(DRIVEN_MUTANT_TEXTS): TEXT_FLAGS = $(MUTANT_FLAGS)

$(MUTANT_TEXTS): $(BUILD)/mutants/%.o: $(BUILD)/mutants/%/edited
	$(call say,CC     ,$(<D)/$(call mutant_text,$*))$(STEPPED) -DADMIT_ID='"$(subst .,:,$*)"' \
		-DADMIT_SYMBOL=stepped_$(call symbol,$*) -c $(<D)/$(call mutant_text,$*) -o $@

$(DRIVEN_MUTANT_TEXTS): $(BUILD)/timestamps/%.o: $(BUILD)/timestamps/%/edited
	$(call say,CC     ,$(<D)/$(DRIVEN))$(DRIVE) -c $(<D)/$(DRIVEN) -o $@

# Which mutants and test algorithms there are, for the catalogue, with what each patch says of itself.
$(BUILD)/variants.h: $(LIST_VARIANTS) $(SAID) $(MUTANTS:%=tests/mutants/%.patch) $(BUILD)/names
	$(call say,LIST   ,$@)sh $(LIST_VARIANTS) '$(MUTANTS)' tests/algorithms > $@

$(BUILD)/timestamps.h: $(LIST_SYSTEMS) $(SAID) $(TIMESTAMP_MUTANTS:%=tests/timestamps/%.patch) $(BUILD)/names
	$(call say,LIST   ,$@)sh $(LIST_SYSTEMS) '$(TIMESTAMP_MUTANTS)' > $@

# The texts of all that can be explored, for pictures of runs.
$(BUILD)/texts: $(GATHER_TEXTS) $(SHOWN_TEXTS) $(PAGE) $(MUTANTS:%=$(BUILD)/mutants/%/edited) $(BUILD)/names
	$(call say,TEXTS  ,$@)sh $(GATHER_TEXTS) $(BUILD)/mutants "$(MUTANTS)" $(SHOWN_TEXTS) $(PAGE) > $@

$(BUILD)/texts.o: src/checker/picture/texts.S $(BUILD)/texts
	$(call say,AS     ,$<)$(CC) -DTEXTS='"$(BUILD)/texts"' -c $< -o $@

# The lists must be there before a .d file can tell who includes them.
$(TOOL_PARTS): $(BUILD)/tool/%.o: src/%.c | $(BUILD)/variants.h $(BUILD)/timestamps.h
	@mkdir -p $(@D)
	$(call say,CC     ,$<)$(COMPILE) -I$(BUILD) -c $< -o $@

# Where admit finds admit-etcd, if that is not beside it: the way from the one directory to the other, so that both can be
# moved together. Another way, and what has it in it is compiled anew.
TO_LIBEXEC := $(or $(shell realpath -ms --relative-to='$(BINDIR)' '$(LIBEXECDIR)' 2>/dev/null),../libexec)
$(BUILD)/to_libexec: $(if $(filter $(TO_LIBEXEC),$(file < $(BUILD)/to_libexec)),,FORCE)
	@mkdir -p $(@D)
	@echo '$(TO_LIBEXEC)' > $@
$(BUILD)/tool/cli/gates/elsewhere.o: $(BUILD)/to_libexec
$(BUILD)/tool/cli/gates/elsewhere.o: private override CPPFLAGS += -DADMIT_TO_LIBEXEC='"$(TO_LIBEXEC)"'

# All of admit but its main: for admit, and for the tests of its parts. Thin: it says where the objects are.
$(BUILD)/libchecker.a: $(CHECKER_OBJECTS) $(BUILD)/names
	$(call say,AR     ,$@)rm -f $@ && $(AR) rcs --thin $@ $(CHECKER_OBJECTS)

$(BUILD)/admit: $(TOOL_MAIN) $(BUILD)/libchecker.a $(BUILD)/libadmit.a
	$(call say,LD     ,$@)$(CC) $(LDFLAGS) $(STATIC) $^ $(TOOL_LIBS) -o $@

# --- libadmit-etcd: the client of a cluster; needs jansson, and for TLS libcurl -----------------------------------------
$(CLUSTER_OBJECTS): $(BUILD)/cluster/%.o: src/%.c
	@mkdir -p $(@D)
	$(call say,CC     ,$<)$(COMPILE) -fPIC -fvisibility=hidden -c $< -o $@

$(BUILD)/libadmit-etcd.a: $(CLUSTER_OBJECTS) $(BUILD)/names
	$(call say,AR     ,$@)$(ARCHIVE) $(CLUSTER_OBJECTS)

# nodelete: it has threads. It names libadmit.so.0, which has loaded it: perhaps for itself alone.
$(BUILD)/libadmit-etcd.so: $(CLUSTER_OBJECTS) $(BUILD)/libadmit.so $(BUILD)/names
	$(call say,LD     ,$@)$(CC) $(LDFLAGS) -shared -Wl,-soname,libadmit-etcd.so.0 -Wl,-z,nodelete $(BESIDE) \
		$(CLUSTER_OBJECTS) $(BUILD)/libadmit.so $(CLUSTER_LIBS) -o $@
	@ln -sf $(@F) $@.0

# What admit becomes for a gate there.
$(BUILD)/admit-etcd: $(HELPER_MAIN) $(BUILD)/libchecker.a $(BUILD)/libadmit-etcd.a $(BUILD)/libadmit.a
	$(call say,LD     ,$@)$(CC) $(LDFLAGS) -Wl,-u,admit_elsewhere_provide $^ $(HELPER_LIBS) -o $@

without-etcd:
	@$(if $(silent),:,echo 'gates on etcd are left out: they need libcurl4-openssl-dev and libjansson-dev, which ./setup installs')

include tests/tests.mk
include bench/bench.mk
include packaging/packaging.mk

# --- for people -------------------------------------------------------------------------------------------------------

demo: all
	@BUILD=$(BUILD) bash examples/demo.sh

demo-checker: all $(EXAMPLES)
	@BUILD=$(BUILD) sh examples/checker.sh

# Long explorations; their results are the tables in docs/checked.md and docs/claims.md.
check-all: all
	BUILD=$(BUILD) sh tests/check-all.sh docs/checked.md docs/claims.md "$(ONLY)"
	$(WRITE_CATALOGUE)

# Its last column is what check-all has found.
WRITE_CATALOGUE = BUILD=$(BUILD) sh tests/catalogue.sh docs/checking.md >$(BUILD)/checking.md && cp $(BUILD)/checking.md docs/
catalogue: $(BUILD)/admit
	$(WRITE_CATALOGUE)

# Each trace there has its picture; and some have a page.
PICTURED := $(basename $(wildcard docs/findings/*.json docs/pictures/*.json))
PAGES := docs/findings/theorem-8-deadlock docs/findings/theorem-8-lockout docs/pictures/one_bit-lockout
pictures: $(addprefix picture-,$(PICTURED))

$(addprefix picture-,$(PICTURED)): picture-%: $(BUILD)/admit FORCE
	$(call say,DRAW   ,$*)$(BUILD)/admit replay $*.json --svg $*.svg $(if $(filter $*,$(PAGES)),--html $*.html) >/dev/null

VERSION := $(shell sed -n 's/^\#define ADMIT_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' include/admit.h | paste -sd.)

# No list of make can hold a name with a blank in it, and half of one is another directory.
PLACES := DESTDIR PREFIX BINDIR LIBDIR LIBEXECDIR INCLUDEDIR DATADIR MANDIR PYTHONDIR
# Only from the root on does a place mean the same to all who read of it: admit.pc, admit itself, python3. DESTDIR is
# nobody's to read.
refuse_places = $(foreach place,$(PLACES),$(if $(word 2,x$($(place))),$(error $(place) has a blank in it: '$($(place))'))) \
	$(foreach place,$(filter-out DESTDIR,$(PLACES)),$(if $(filter /%,$($(place))),,$(error $(place) must begin with /: '$($(place))')))
# In admit.pc a directory is said by that above it, so that pkg-config can be told of another one.
FILL_IN = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR:$(PREFIX)/%=$${prefix}/%)|' \
	-e 's|@INCLUDEDIR@|$(INCLUDEDIR:$(PREFIX)/%=$${prefix}/%)|' -e 's|@VERSION@|$(VERSION)|'

# Programs look for libraries in a list that ldconfig makes, of the directories of the system, /usr/local/lib among them.
# Only root may, and need not have its directory in PATH. Where it fails (musl has none), the files are installed still.
TELL_LOADER = if [ "$$(id -u)" = 0 ]; then PATH=$$PATH:/usr/sbin:/sbin ldconfig || true; fi

# Where this Python looks for modules below PREFIX. If it looks nowhere there, or is not there, the second half is where
# admit.py goes, and PYTHONPATH has to say so.
PYTHON ?= python3
LOOKS = import os, site, sys; below = os.path.expanduser("$(PREFIX)") + "/lib/"; \
	print(*[path for path in sys.path + [site.getusersitepackages()] if path.startswith(below) and "-packages" in path][:1])
# At the end, once the directory is there: without a word of it the module would be installed and not found.
TELL_PYTHON = $(PYTHON) -c 'import os, sys; here = os.path.realpath(os.path.expanduser("$(PYTHONDIR)")); \
	here in map(os.path.realpath, sys.path[1:]) or print("$(PYTHON) does not look there: PYTHONPATH=" + here)' 2>/dev/null || true
PYTHONDIR ?= $(or $(shell $(PYTHON) -c '$(LOOKS)' 2>/dev/null),$(PREFIX)/lib/python3/dist-packages)

# Each function of admit.h is the name of a manual page, too, and leads to admit(3).
FUNCTIONS = $(shell sed -n 's/^ADMIT_API .*[ *]\(admit_[a-z_]*\)\x28.*/\1/p' include/admit.h)

# Where each shell looks for what completes a command.
BASH_COMPLETIONS = $(DATADIR)/bash-completion/completions
ZSH_COMPLETIONS = $(DATADIR)/zsh/site-functions
FISH_COMPLETIONS = $(DATADIR)/fish/vendor_completions.d

install: all
	$(refuse_places)
	install -d $(addprefix $(DESTDIR),$(BINDIR) $(LIBDIR)/pkgconfig $(INCLUDEDIR) $(addprefix $(MANDIR)/man,1 3 7) \
		$(BASH_COMPLETIONS) $(ZSH_COMPLETIONS) $(FISH_COMPLETIONS) $(PYTHONDIR))
	install -m 755 $(BUILD)/admit $(DESTDIR)$(BINDIR)/
	install -m 644 $(BUILD)/libadmit.a $(DESTDIR)$(LIBDIR)/
	install -m 755 $(BUILD)/libadmit.so $(DESTDIR)$(LIBDIR)/libadmit.so.$(VERSION)
	ln -sf libadmit.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libadmit.so.0
	ln -sf libadmit.so.0 $(DESTDIR)$(LIBDIR)/libadmit.so
	install -m 644 include/admit.h $(DESTDIR)$(INCLUDEDIR)/
	install -m 644 docs/man/admit.1 $(DESTDIR)$(MANDIR)/man1/
	install -m 644 docs/man/admit.3 $(DESTDIR)$(MANDIR)/man3/
	install -m 644 docs/man/admit.7 $(DESTDIR)$(MANDIR)/man7/
	@for name in $(FUNCTIONS); do ln -sf admit.3 $(DESTDIR)$(MANDIR)/man3/$$name.3 || exit; done
	install -m 644 src/cli/completions/admit.bash $(DESTDIR)$(BASH_COMPLETIONS)/admit
	install -m 644 src/cli/completions/admit.zsh $(DESTDIR)$(ZSH_COMPLETIONS)/_admit
	install -m 644 src/cli/completions/admit.fish $(DESTDIR)$(FISH_COMPLETIONS)/
	install -m 644 python/admit.py $(DESTDIR)$(PYTHONDIR)/
	$(FILL_IN) packaging/admit.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/admit.pc
	$(if $(HAS_CURL),install -d $(DESTDIR)$(LIBEXECDIR)/admit)
	$(if $(HAS_CURL),install -m 755 $(BUILD)/admit-etcd $(DESTDIR)$(LIBEXECDIR)/admit/)
	$(if $(HAS_CURL),install -m 644 $(BUILD)/libadmit-etcd.a $(DESTDIR)$(LIBDIR)/)
	$(if $(HAS_CURL),install -m 755 $(BUILD)/libadmit-etcd.so $(DESTDIR)$(LIBDIR)/libadmit-etcd.so.$(VERSION))
	$(if $(HAS_CURL),ln -sf libadmit-etcd.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libadmit-etcd.so.0)
	$(if $(HAS_CURL),ln -sf libadmit-etcd.so.0 $(DESTDIR)$(LIBDIR)/libadmit-etcd.so)
	$(if $(HAS_CURL),$(FILL_IN) packaging/admit-etcd.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/admit-etcd.pc)
	@$(if $(DESTDIR),,$(TELL_LOADER))
	@$(if $(DESTDIR),,$(TELL_PYTHON))

LIBRARY_ENDINGS = a so so.0 so.$(VERSION)
uninstall:
	$(refuse_places)
	rm -f $(addprefix $(DESTDIR),$(BINDIR)/admit $(INCLUDEDIR)/admit.h $(PYTHONDIR)/admit.py $(LIBEXECDIR)/admit/admit-etcd \
		$(MANDIR)/man1/admit.1 $(patsubst %,$(MANDIR)/man3/%.3,admit $(FUNCTIONS)) $(MANDIR)/man7/admit.7 \
		$(BASH_COMPLETIONS)/admit $(ZSH_COMPLETIONS)/_admit $(FISH_COMPLETIONS)/admit.fish \
		$(addprefix $(LIBDIR)/pkgconfig/admit,.pc -etcd.pc) \
		$(addprefix $(LIBDIR)/libadmit,$(addprefix .,$(LIBRARY_ENDINGS)) $(addprefix -etcd.,$(LIBRARY_ENDINGS))))
	if [ -d $(DESTDIR)$(LIBEXECDIR)/admit ]; then rmdir $(DESTDIR)$(LIBEXECDIR)/admit; fi

# Folders of algorithms are no rooms: each algorithm is one file, wherever it lies.
rooms:
	@sh tests/include_graph.sh | sed 's|algorithms/[a-z_]*|algorithms|' | awk '$$1 != $$2' | tsort | tac

# Also of files that git has not been told of yet. What is in tests/spin is Promela and not C.
format:
	$(call say,FORMAT ,all C files)git ls-files --cached --others --exclude-standard '*.c' '*.h' ':!tests/spin' | xargs clang-format -i

# What stands at the top of each of these: a line for a target, and below it what has no room there, further in.
help:
	@sed -n -e '/^# make /!{' -e '/^#   *  /!d' -e '}' -e 's/^# //p' Makefile tests/tests.mk bench/bench.mk packaging/packaging.mk

clean:
	rm -rf $(BUILD)

FORCE:

.PHONY: all without-etcd demo demo-checker check-all catalogue pictures install uninstall rooms format help clean FORCE
.DELETE_ON_ERROR:

# --- what the last build has left word of -----------------------------------------------------------------------------
# Only of what is still made: a build directory may be older than this file.
OBJECTS := $(NATIVE_OBJECTS) $(TOOL_PARTS) $(filter-out $(TOOL_PARTS),$(CHECKER_OBJECTS)) $(CLUSTER_OBJECTS) $(TEST_OBJECTS) $(BENCH_OBJECTS)
-include $(wildcard $(OBJECTS:.o=.d) $(MUTANT_TEXTS:.o=/edited.d) $(DRIVEN_MUTANT_TEXTS:.o=/edited.d))

# A text named there may have been moved or deleted since. It counts as changed; what needed it is made anew, or fails.
%.c: ;
%.h: ;
