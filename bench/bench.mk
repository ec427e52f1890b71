# SPDX-License-Identifier: MIT
#
# make bench                   the locks and the explorer, each with its peers in one run
# make bench BENCH_SIZES=6     without the longest comparison; the other settings are in bench/explorer.sh
# make bench-gate              the gate alone; GATE_PARTS="two many" a part of that, GATE_REPS=9 more repetitions
# make bench-etcd              gates on etcd, beside etcdctl; it starts servers and stops them. ETCD_BENCH="-r 1 -s 2" is shorter

BENCH_PROGRAMS := $(patsubst bench/%.c,$(BUILD)/bench/%,$(filter-out bench/measure.c bench/etcd.c,$(wildcard bench/*.c)))
BENCH_OBJECTS := $(BENCH_PROGRAMS:=.o) $(BUILD)/bench/measure.o $(BUILD)/bench/etcd.o

$(BENCH_OBJECTS): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC     ,$<)$(COMPILE) -c $< -o $@

$(BUILD)/bench/measure: %: %.o
	$(call say,LD     ,$@)$(CC) $(LDFLAGS) $^ -o $@

$(BENCH_PROGRAMS): %: %.o $(BUILD)/libadmit.a
	$(call say,LD     ,$@)$(CC) $(LDFLAGS) $^ -lpthread -lm -o $@

$(BUILD)/bench/etcd: %: %.o $(BUILD)/libadmit-etcd.a $(BUILD)/libadmit.a
	$(call say,LD     ,$@)$(CC) $(LDFLAGS) $^ $(CLUSTER_LIBS) -o $@

bench: $(BUILD)/admit $(BUILD)/bench/measure $(BENCH_PROGRAMS)
	@for program in $(BENCH_PROGRAMS); do $$program || exit 1; echo; done
	@BUILD=$(BUILD) CC="$(CC)" BENCH_REPS="$(BENCH_REPS)" BENCH_SIZES="$(BENCH_SIZES)" BENCH_LONG="$(BENCH_LONG)" \
		sh bench/explorer.sh

bench-gate: $(BUILD)/admit $(BUILD)/bench/gate
	@$(BUILD)/bench/gate $(if $(GATE_REPS),-r $(GATE_REPS)) $(GATE_PARTS)

bench-etcd: $(if $(HAS_CURL),$(addprefix $(BUILD)/,admit admit-etcd bench/etcd),without-etcd)
	@$(if $(HAS_CURL),$(BUILD)/bench/etcd $(ETCD_BENCH))

.PHONY: bench bench-gate bench-etcd
