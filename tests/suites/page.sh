#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The pages of `admit check --html` in a browser: what they show at a step, how one gets from one to the next, and that
# nothing but their own script runs in them. Skipped where there is no chromium.
. tests/tap.sh

if ! command -v chromium >/dev/null; then
    echo "1..0 # SKIP there is no chromium, which ./setup installs"
    exit 0
fi

# shown NAME PAGE: what the browser makes of it goes to $scratch/NAME.shown. Without a sandbox, since root may have none; it
# sees only what is made here.
shown() {
    timeout 300 chromium --headless --no-sandbox --disable-gpu --disable-quic --disable-dev-shm-usage --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync --disable-extensions \
        --user-data-dir="$scratch/$1.profile" --dump-dom "file://$scratch/$2" >"$scratch/$1.shown" 2>"$scratch/$1.browser"
}

# look NAME: at what is shown there.
look() {
    cp "$scratch/$1.shown" "$scratch/shown"
    test -s "$scratch/shown" || { cat "$scratch/$1.browser" && return 1; }
}

# says TEXT...: each is there, tags left out.
says() {
    tr '\n' ' ' <"$scratch/shown" | sed 's/<script.*<\/script>//; s/<[^>]*>//g' >"$scratch/said"
    for text; do
        grep -qF -- "$text" "$scratch/said" || { echo "it does not say: $text" && cat "$scratch/said" && return 1; }
    done
}

# has ELEMENT...: each is there, as it is written.
has() {
    for element; do
        grep -qF -- "$element" "$scratch/shown" || { echo "it does not have: $element" && return 1; }
    done
}

"$BUILD/admit" check one_bit --property lockout-freedom --html "$scratch/lasso.html" >"$scratch/check"
"$BUILD/admit" check one_bit:no_second_wait -n 2 --property exclusion --html "$scratch/run.html" >"$scratch/check"

# A person's keys and pointer, as far as a script has them: in a copy of the page that lets any script run.
sed 's/<meta http-equiv=[^>]*>//' "$scratch/lasso.html" >"$scratch/free.html"
cat >>"$scratch/free.html" <<'SCRIPT'
<script>
    const said = [], at = document.getElementById('at');
    const say = () => said.push(location.hash.slice(1) + ' at ' + at.value);
    const press = key => { document.dispatchEvent(new KeyboardEvent('keydown', { key })); say(); };
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'End', 'ArrowRight', 'ArrowLeft', 'Home', 'ArrowLeft'])
        press(key);
    for (const id of ['on', 'last', 'on', 'back', 'first']) { document.getElementById(id).click(); say(); }
    document.querySelector('#s7 text').dispatchEvent(new MouseEvent('click', { bubbles: true })); say();
    at.value = 3; at.dispatchEvent(new Event('input')); say();
    const touch = (type, x) => document.getElementById('processes').dispatchEvent(Object.assign(
        new Event(type, { bubbles: true }), { changedTouches: [{ clientX: x, clientY: 5 }] }));
    touch('touchstart', 200); touch('touchend', 50); say();
    press('End');
    document.body.append('said: ' + said.join(', '));
</script>
SCRIPT
{
    cat "$scratch/lasso.html"
    echo '<script>document.body.append("it", " ran")</script><p onclick="x()">end</p>'
} >"$scratch/added.html"

# At once, since most of the time a browser waits.
started=
for page in start=lasso.html step=added.html#step=4 round=lasso.html#step=12 violation=run.html#step=999 hand=free.html; do
    shown "${page%%=*}" "${page#*=}" &
    started="$started $!"
done
# shellcheck disable=SC2086 # one word per process
wait $started

at_the_start() {
    look start &&
        says 'At the start; there are 9 steps.' 'process 0.remainderlput(x[i], true);' 'x[0] = 0x[1] = 0x[2] = 0' &&
        has 'id="back" title="left arrow" aria-label="one step back" disabled=""' \
            '<th scope="col">process</th><th scope="col">is in</th><th scope="col">stands before</th>' &&
        ! grep 'class="changed"\|class="cursor"' "$scratch/shown"
}

at_a_step() {
    look step &&
        says 'Step 4 of 9: process 1, give way: x[1] := 0. Round 1 of the loop.' 'x[1] = 0 (was 1)' \
            'process 1wwaiting roomwaitawait(!get(x[L.j]));' &&
        has '<li class="changed">x[1] = 0' '<tr class="stepped"><th scope="row">process 1' 'aria-valuetext="Step 4 of' \
            '<b title="process 1 stands here">1</b></span><span class="nr">44</span>' &&
        test "$(grep -c 'class="changed"' "$scratch/shown")" -eq 1
}

no_other_script() {
    look step && says 'end' && ! grep 'it ran' "$scratch/shown"
}

round_the_loop() {
    look round &&
        says 'Step 12: process 1, give way: x[1] := 0. Round 2 of the loop: step 4 again.' 'x[1] = 0 (was 1)'
}

at_the_violation() {
    look violation && says '✗ more than 1 inside' '#critical section' &&
        has 'id="on" title="right arrow" aria-label="one step on" disabled=""' \
            '<li class="left" title="the mutant has this line no more">' && one_frame
}

# That of the step lies upon that of the violation.
one_frame() {
    for class in band cursor; do
        grep -o "<rect class=\"$class\"[^>]*>" "$scratch/shown" | grep -oE ' (x|width|height)="[0-9]+"' |
            LC_ALL=C sort >"$scratch/$class"
    done
    test -s "$scratch/band" && diff "$scratch/band" "$scratch/cursor"
}

by_hand() {
    look hand &&
        says 'said: step=1 at 1, step=2 at 2, step=1 at 1, step=9 at 9, step=10 at 2, step=9 at 9, step=0 at 0, step=0 at 0, step=1 at 1, step=9 at 9, step=10 at 2, step=9 at 9, step=0 at 0, step=7 at 7, step=3 at 3, step=4 at 4, step=9 at 9' \
            'Step 9 of 9: process 1, l: x[1] := 1.' 'Now it is as it was after step 1: it goes on with step 2.'
}

check "at the start" at_the_start
check "at a step: what happened, what changed, where everybody stands" at_a_step
check "further on the loop is gone round" round_the_loop
check "at the violation; and what a mutant has not" at_the_violation
check "keys, buttons, slider, pointer and touch; the end of the loop" by_hand
check "no other script runs" no_other_script
finish
