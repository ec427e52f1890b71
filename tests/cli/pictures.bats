#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2030,SC2031,SC2154 # variables of helper.bash
#
# --svg and --html of `admit check` and `admit replay`: what is drawn, and what others wrote in it. tests/suites/page.sh has
# the pages in a browser.
load helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    ln -s "$OLDPWD/docs" docs
    case $ADMIT in /*) ;; *) ADMIT=$OLDPWD/$ADMIT ;; esac
}

# drawn FILTER: the picture is XML, and the Python expression is true of it; `rows` are its steps, `words` all its text.
drawn() {
    python3 - "$1" <<'PYTHON'
import sys, xml.etree.ElementTree as tree
svg = "{http://www.w3.org/2000/svg}"
root = tree.parse("run.svg").getroot()
rows = ["".join(row.itertext()) for row in root.iter(svg + "g") if row.get("id", "").startswith("s") and row.get("transform")]
words = "\n".join("".join(text.itertext()) for text in root.iter(svg + "text"))
title, about = root.find(svg + "title").text, root.find(svg + "desc").text
marks = [use.get("href")[1:] for use in root.iter(svg + "use")]
classes = {element.get("class") for element in root.iter()}
if not eval(sys.argv[1]):
    sys.exit("not so: %s\n%s\n%s\n%s" % (sys.argv[1], rows, words, marks))
PYTHON
}

@test "a run to a violation: who does what, and where it happens" {
    exits 1 check one_bit:looks_first -n 2 --property exclusion --svg run.svg
    drawn 'title == "one_bit:looks_first: exclusion (P1) is violated, n = 2, k = 1, atomic registers"'
    drawn '"process 0" in words and "process 1" in words and "\u2717 more than 1 inside" in words and "band" in classes'
    drawn 'len(rows) == 4 and rows[-1] == "4l: x[1] := 1" and "1. process" in about and "(critical section)" in about'
    drawn '{"reads", "writes"} == set(marks) and not {"loop", "tint"} & classes'
    # Nothing else is said than without a picture.
    local with=$output
    exits 1 check one_bit:looks_first -n 2 --property exclusion
    [ "$(sed 2d <<<"$output")" = "$(sed 2d <<<"$with")" ]
}

@test "a lasso: from where it is repeated" {
    exits 1 check one_bit --property lockout-freedom --trace trace --svg run.svg
    drawn '"from here on, again and again" in words and "\u21ba and again from step 2 on, for ever" in words'
    drawn '{"loop", "tint"} <= classes and "band" not in classes and len(rows) == 9'
    # What is said between the rows runs into no lane: it stands beside the last.
    drawn '(min(int(text.get("x")) for text in root.iter(svg + "text") if "from here on" in (text.text or "")) >
        max(int(text.get("x")) for text in root.iter(svg + "text") if text.get("class") == "head"))'
    drawn '"although everybody under way keeps stepping" in words'
    mv run.svg first.svg
    exits 0 replay trace --svg run.svg
    drawn '"Confirmed: executed again, the run violates lockout-freedom." in words'
    diff <(grep '<g id' first.svg | sed 's/ transform[^>]*//') <(grep '<g id' run.svg | sed 's/ transform[^>]*//')
}

@test "writes that take a while are spans, and reads in them are told from others" {
    exits 1 check one_bit:no_second_wait -n 2 --registers safe --property exclusion --svg run.svg
    drawn '"open" in classes and "begins" in marks and rows[0] == "1l: x[1] := 1 begins" and rows[1] == "2l: x[1] := 1 ends"'
    exits 1 check one_bit:unheard_of -n 2 --fault failure --property deadlock-freedom --registers safe --svg run.svg
    drawn 'any(mark == "wrong" for mark in marks) and any("malfunctions" in row for row in rows)'
}

@test "deaths, leases, packed words, processes beside the n" {
    exits 1 check gate:heir_ignored -n 2 --fault recovery --with heir --property exclusion --svg run.svg
    drawn '"command 0" in words and any("is killed: LIFE[0] := 1" in row for row in rows) and "lead" in classes'
    drawn '"with recovery, heir" in title and any("draw: ISSUE := " in row for row in rows)'
    exits 1 check etcd_gate:believes_its_lease -n 2 --fault lease --property exclusion --svg run.svg
    drawn 'any("its lease ends" in row for row in rows) and marks.count("wrong") == 3'
    exits 1 check bakery -n 2 --fault crash --property deadlock-freedom --svg run.svg
    drawn '"gone" in classes and any(row.endswith("crashes") for row in rows)'
}

@test "a start that is no start of the algorithm's is said" {
    exits 1 check one_bit -n 2 --fault transient --property deadlock-freedom --svg run.svg
    drawn '"At the start x[" in words'
}

@test "nothing was violated: that is said, there and here" {
    exits 0 check one_bit -n 2 --property exclusion --svg run.svg --html run.html
    says_error "admit check: nothing was violated, so there is no run to draw; run.svg says so"
    says_error "run.html says so"
    drawn '"no counterexample" in title and "Nothing was violated" in words and not rows'
    grep -q 'Nothing was violated' run.html
    exits 3 check one_bit --property exclusion --max-states 10 --svg run.svg
    drawn '"Nothing was found to be violated, and not all is decided." in words'
}

@test "a run that is not what it is said to be is drawn, and that is said" {
    exits 1 check one_bit --property lockout-freedom --trace trace
    jq '.loop = null' trace >other
    exits 1 replay other --svg run.svg --html run.html
    drawn 'title.startswith("one_bit: lockout-freedom (P3) is not shown to be violated") and len(rows) == 9'
    drawn '"Not confirmed" in words and not {"band", "loop"} & classes'
    grep -q '<p>Not confirmed' run.html
    jq '.steps[4].choice = 7' trace >other
    exits 1 replay other --svg run.svg
    drawn 'len(rows) == 4 and "here the run ends: step 5 is not possible" in words and "(step 5 of process 0: there is no such" in words'
    exits 1 check one_bit -n 2 --fault transient --property deadlock-freedom --trace trace
    jq '.start.registers[0] = 99' trace >other
    exits 1 replay other --svg run.svg --html run.html
    drawn 'not rows and "(at the start: a register cannot start" in words'
}

@test "what somebody wrote into a trace is text, and nothing else" {
    exits 1 check one_bit:looks_first -n 2 --property exclusion --trace trace
    jq '.what = "</title></script><script>alert(1)</script>]]>&\"'"'"' \u202e\u0007 " + ("\u00e9" * 150)' trace >other
    exits 0 replay other --svg run.svg --html run.html
    drawn 'words.count("<script>alert(1)</script>]]>&\"") == 2 and "\u202e" not in words'
    [ "$(grep -c '<script>' run.html)" -eq 1 ]
    [ "$(grep -o '</script' run.html | wc -l)" -eq 2 ]
    python3 -c 'open("run.html", encoding="utf-8").read()'
}

@test "a page loads nothing, and runs nothing but its own script" {
    exits 1 check one_bit --property lockout-freedom --html run.html
    python3 - <<'PYTHON'
import base64, hashlib, html.parser, json
page = open("run.html", encoding="utf-8").read()
scripts, loads = [], []
class Parser(html.parser.HTMLParser):
    tag = None
    def handle_starttag(self, tag, attributes):
        self.tag, attributes = tag, dict(attributes)
        loads.extend(v for a, v in attributes.items() if a in ("src", "href", "srcset", "action", "data") and not v.startswith("#"))
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy": self.policy = attributes["content"]
        if tag == "script": scripts.append([attributes.get("type"), ""])
    def handle_data(self, data):
        if self.tag == "script" and scripts: scripts[-1][1] += data
parser = Parser(convert_charrefs=False)
parser.feed(page)
assert not loads, loads
assert [kind for kind, _ in scripts] == ["application/json", None], scripts
run = json.loads(scripts[0][1].strip())
script = page.split("<script>")[1].split("</script>")[0]
digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
assert "default-src 'none'" in parser.policy and "script-src 'sha256-%s';" % digest in parser.policy, parser.policy
assert run["loop"] == 1 and run["loop_end"] == 9 and len(run["moments"]) == 10
assert [text["path"] for text in run["texts"]] == ["src/algorithms/one_bit.c"]
PYTHON
}

@test "a file is written whole or not at all, and one that cannot be is refused before any work" {
    local big="gate -n 4 --property exclusion" # which would take minutes
    for option in --svg --html; do
        refused "cannot write 'there/run': No such file or directory" check $big $option there/run
        mkdir -p directory
        refused "cannot write 'directory': Is a directory" check $big $option directory
        refused "$option needs a value" check $big $option
    done
    exits 1 check one_bit:looks_first -n 2 --property exclusion --trace trace
    refused "cannot write 'directory'" replay trace --svg directory
    echo old >run.svg
    exits 2 check one_bit:looks_first -n 2 --property no-such --svg run.svg
    [ "$(cat run.svg)" = old ]
    chmod 640 run.svg
    exits 1 check one_bit:looks_first -n 2 --property exclusion --svg run.svg
    [ "$(stat -c %a run.svg)" = 640 ]
    drawn 'len(rows) == 4'
    exits 2 check one_bit:looks_first -n 2 --property exclusion --svg /dev/full
    says_error "admit check: cannot write '/dev/full'"
    [ -z "$(find . -name 'run.svg.*' -o -name 'directory.*')" ]
    ln -s nowhere link
    refused "cannot write 'link': No such file or directory" check $big --svg link
}

@test "two files that are the same, and -, are refused before any work" {
    local big="gate -n 4 --property exclusion"
    refused "--svg and --html are the same file, 'run'" check $big --svg run --html run
    refused "--trace and --html are the same file" check $big --trace run --html "$PWD/./run"
    echo 0 >steps
    ln -s steps link
    refused "--schedule and --trace are the same file, 'link'" check $big --schedule steps --trace link
    [ "$(cat steps)" = 0 ]
    for option in --trace --svg --html; do
        refused "cannot write '-': standard output has the text" check $big $option -
    done
    [ ! -e run ] && [ ! -e ./- ]
    exits 1 check one_bit:looks_first -n 2 --property exclusion --trace trace --svg /dev/null --html /dev/null
    cp trace before
    refused "the trace and --svg are the same file" replay trace --svg ./trace
    cmp trace before
    exits 2 check one_bit:looks_first -n 2 --property exclusion --trace /dev/full
    says_error "admit check: cannot write '/dev/full': No space left on device"
}

@test "a pipe is written to, and not replaced" {
    mkfifo run.svg
    { cat run.svg >copy & }
    exits 1 check one_bit:looks_first -n 2 --property exclusion --svg run.svg
    wait
    [ -p run.svg ]
    # A link to one that has no name of its own. It stands for /dev/stdout, which a test must not put at risk.
    ln -s /proc/self/fd/1 out
    "$ADMIT" check one_bit:looks_first -n 2 --property exclusion --svg out | cat >both || true
    [ -L out ]
    grep -q '^</svg>' both
    grep -q 'VIOLATED' both
    mv copy run.svg
    drawn 'len(rows) == 4'
}

@test "of a long run the beginning and the end are drawn" {
    exits 1 check one_bit:looks_first -n 2 --property exclusion --trace trace
    # A process that goes through alone, again and again.
    jq '.property = "-" | .steps = [range(600) | {process: 0}]' trace >other
    exits 0 replay other --svg run.svg
    drawn 'len(rows) == 400 and "steps 101 to 300 are not drawn" in words and "is violated" not in words'
}

@test "the pictures in docs are what is drawn now; make pictures draws them" {
    for trace in docs/findings/*.json docs/pictures/*.json; do
        exits 0 replay "$trace" --svg run.svg --html run.html
        cmp run.svg "${trace%.json}.svg"
        [ ! -e "${trace%.json}.html" ] || cmp run.html "${trace%.json}.html"
    done
    for picture in docs/findings/*.svg docs/pictures/*.svg; do
        grep -qF "${picture#docs/}" -r docs/../README.md docs/*.md docs/algorithms/*.md
    done
}
