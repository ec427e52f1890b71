# SPDX-License-Identifier: MIT
#
# make bench                   the locks and the explorer, each with its peers in one run
# make bench BENCH_SIZES=6     without the longest comparison; the other settings are in bench/explorer.sh

BENCH_PROGRAMS := $(patsubst bench/%.c,$(BUILD)/bench/%,$(filter-out bench/measure.c,$(wildcard bench/*.c)))

$(BUILD)/bench/measure: bench/measure.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $< -o $@

$(BENCH_PROGRAMS): $(BUILD)/bench/%: bench/%.c $(BUILD)/libadmit.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF $@.d -MT $@ $(LDFLAGS) $< $(BUILD)/libadmit.a -lpthread -lm -o $@

bench: $(BUILD)/admit $(BUILD)/bench/measure $(BENCH_PROGRAMS)
	@for program in $(BENCH_PROGRAMS); do $$program || exit 1; echo; done
	@BUILD=$(BUILD) CC="$(CC)" BENCH_REPS="$(BENCH_REPS)" BENCH_SIZES="$(BENCH_SIZES)" BENCH_LONG="$(BENCH_LONG)" \
		sh bench/explorer.sh

.PHONY: bench
