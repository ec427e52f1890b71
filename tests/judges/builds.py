#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""builds.py [-k K] [--rounds N] [--seed S] [--pool admit|own]

Three builds of a C project, this one's library, under one gate of k, and one of them killed with -9 at a random moment:
its `admit jobserver`, its top make, one of its compilers, or its whole process group. In each round:

- witness.c, which stands where the compiler is called, never counts more than k compilers, orphans included;
- both other builds end well and leave nothing behind, nor does the killed one;
- then nobody is inside or in line, and k commands at once go in, not one more.

With --pool own nothing is killed and each build has make's own pool of k: how many compilers run at once then.
Prints a line for each round and what went wrong; exits 1 if anything did. The seed draws whom and when.
"""
import argparse, collections, json, os, pathlib, random, shutil, signal, subprocess, sys, tempfile, time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("-k", type=int, default=2)
parser.add_argument("--rounds", type=int, default=20)
parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
parser.add_argument("--pool", choices=("admit", "own"), default="admit")
parser.add_argument("--kinds", default="jobserver,make,compiler,group", help="who is killed")
parser.add_argument("--within", type=float, default=6, help="seconds: when, at the latest")
options = parser.parse_args()

BUILDS = 3
sources = pathlib.Path(__file__).resolve().parents[2]
build = pathlib.Path(os.environ.get("BUILD", "build")).resolve()
admit = str(build / "admit")
witness = str(build / "judges" / "witness")
draw = random.Random(options.seed)
scratch = pathlib.Path(tempfile.mkdtemp(prefix="builds."))
environment = {name: value for name, value in os.environ.items() if not name.startswith(("ADMIT", "MAKE", "MFLAGS"))}
environment |= {"ADMIT_DIR": str(scratch / "gates"), "TMPDIR": str(scratch / "tmp"), "WITNESS": str(scratch / "witness"),
                "WITNESSED": "gcc"}
for name in ("gates", "tmp", "witness"):
    (scratch / name).mkdir(mode=0o700)
faults = []


def stat_of(pid):
    """name, state, parent; None if it has gone"""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_bytes().decode(errors="replace")
    except OSError:
        return None
    end = text.rindex(")")
    state, parent = text[end + 2:].split()[:2]
    return text[text.index("(") + 1:end], state, int(parent)


def children():
    found = collections.defaultdict(list)
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (stat := stat_of(entry)) is not None:
            found[stat[2]].append(int(entry))
    return found


def below(pid):
    """the process and all that descend from it, parents first"""
    of, found = children(), [pid]
    for each in found:
        found += of[each]
    return found


def ours():
    """whoever has this run's environment, and lives"""
    found = []
    for entry in os.listdir("/proc"):
        try:
            mine = entry.isdigit() and f"WITNESS={scratch}".encode() in pathlib.Path(f"/proc/{entry}/environ").read_bytes()
        except OSError:
            continue
        if mine and (stat := stat_of(entry)) is not None and stat[1] != "Z":
            found.append((int(entry), stat[0]))
    return found


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not (reached := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return reached


def start(number):
    command = ["make", "-s", "-C", str(sources), f"BUILD={scratch}/b{number}", "CC=" + witness, "MUTANTS=", "TIMESTAMP_MUTANTS=",
               f"{scratch}/b{number}/libadmit.a"]
    pool = [admit, "jobserver", "-k", str(options.k), "pool", "--"]
    command = pool + command if options.pool == "admit" else command + [f"-j{options.k}"]
    with open(scratch / f"says{number}", "w") as says:
        return subprocess.Popen(command, env=environment | {"BUILD_NAME": f"b{number}"}, stdin=subprocess.DEVNULL, stdout=says,
                                stderr=says, start_new_session=True)


def kill(server, name):
    """One of those of the build that this process serves: itself, where there is no such. Returns who was killed."""
    kind = draw.choice(options.kinds.split(","))
    tree = below(server)
    if kind == "make":
        tree = [pid for pid in tree if (stat := stat_of(pid)) is not None and stat[0] == "make"]
        target = tree[:1]
    elif kind == "compiler":  # with what it has started, or what it has started would be nobody's
        begun = {int(line.split()[0]) for line in (scratch / "witness/log").read_text().splitlines() if line.split()[1] == name}
        running = [pid for pid in tree if pid in begun]
        target = below(draw.choice(running))[::-1] if running else []
    else:
        target = []
    if not target:
        kind, target = "group" if kind == "group" else "jobserver", [server]
    for pid in target:
        try:
            (os.killpg if kind == "group" else os.kill)(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return kind


def status():
    done = subprocess.run([admit, "status", "--json", "pool"], env=environment, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"holders": done.stderr, "waiters": []}


def all_can_go_in():
    """k at once, and not one more"""
    command = [admit, "run", "--try", "pool", "--", "sh", "-c", "echo; read line"]
    inside = [subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(options.k)]
    went_in = sum(each.stdout.readline() == b"\n" for each in inside)
    one_more = subprocess.run([admit, "run", "--try", "pool", "--", "true"], env=environment, capture_output=True).returncode
    for each in inside:
        each.communicate()
    return went_in == options.k and one_more == 75


def one_round(number):
    def fault(what):
        faults.append(f"round {number}: {what}")

    log = scratch / "witness/log"
    log.write_text("")
    began = time.monotonic()
    builds = [start(each) for each in range(BUILDS)]
    killed, victim = "nobody", None
    if options.pool == "admit":
        moment = draw.uniform(0, options.within)
        until(lambda: time.monotonic() - began >= moment or not all(each.poll() is None for each in builds))
        alive = [each for each in range(BUILDS) if builds[each].poll() is None]
        if alive:
            victim = draw.choice(alive)
            killed = kill(builds[victim].pid, f"b{victim}") + f" of b{victim}"
    for each, process in enumerate(builds):
        try:
            ended = process.wait(timeout=300)
        except subprocess.TimeoutExpired:
            fault(f"b{each} hangs; status: {status()}")
            os.killpg(process.pid, signal.SIGKILL)
            continue
        if each != victim and (ended != 0 or not (scratch / f"b{each}/libadmit.a").exists()):
            fault(f"b{each} ended with {ended}: {(scratch / f'says{each}').read_text()[-300:]}")
    took = time.monotonic() - began
    if not until(lambda: not ours()):
        fault(f"left behind: {ours()}")
    most = max((int(line.split()[2]) for line in log.read_text().splitlines()), default=0)
    if options.pool == "admit":
        if most > options.k:
            fault(f"{most} compilers at once")
        if not until(lambda: not (found := status())["holders"] and not found["waiters"]):
            fault(f"status: {status()}")
        if not all_can_go_in():
            fault("not k, or more, could go in at once")
        files = [path.name for place in ("gates", "tmp") for path in (scratch / place).iterdir()
                 if path.name != "pool" and not path.name.startswith("cc")]  # gcc's, which was killed
        if files:
            fault(f"files left: {files}")
    for each in range(BUILDS):
        shutil.rmtree(scratch / f"b{each}", ignore_errors=True)
    print(f"round {number}: killed {killed}, {most} compilers at once at most, {took:.1f} s", flush=True)
    return most


print(f"seed {options.seed}, k {options.k}, pool: {options.pool}", flush=True)
most = max(one_round(number) for number in range(options.rounds))
print(f"{options.rounds} rounds, {most} compilers at once at most, {len(faults)} faults")
for fault in faults:
    print(fault)
shutil.rmtree(scratch)
sys.exit(1 if faults else 0)
