#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # commands in quotes; variables of cluster.bash and bats
#
# Gates on etcd at the command line: the same sub-commands, and what is different.
load cluster

@test "run: what the command sees, and its exit status" {
    exits 0 run -k 2 "$Q" -- sh -c 'echo "$ADMIT_GATE $ADMIT_SLOT $ADMIT_TICKET $ADMIT_TOKEN"'
    [[ $output =~ ^$Q\ 0\ [1-9][0-9]*\ [1-9][0-9]*$ ]]
    exits 7 run "$Q" -- sh -c 'exit 7'
    exits 127 run "$Q" -- no-such-command-here
    exits 143 run "$Q" -- sh -c 'kill $$'
    exits 0 run -k 1 local -- sh -c 'echo "[${ADMIT_TOKEN-none}]"'
    says "[none]"
    ADMIT_TOKEN=5 exits 0 run local -- sh -c 'echo "[${ADMIT_TOKEN-none}]"'
    says "[none]"
}

@test "k is agreed in the store" {
    run_refused "there is no gate \"$Q\"; -k K makes one" "$Q" -- true
    exits 0 run -k 2 "$Q" -- true
    run_refused "has k = 2, not 3; \`admit resize $Q 3\` changes it for everybody" -k 3 "$Q" -- true
    exits 0 resize "$Q" 3
    exits 0 run -k 2 "$Q" -- true
    exits 0 run -k 3 "$Q" -- true
    run_refused "has k = 3 (declared with 2), not 4" -k 4 "$Q" -- true
    exits 0 run -k 4 --resize "$Q" -- true
    exits 0 status "$Q" --json
    json '.k == 4 and .declared_k == 4 and .capacity == null and .entered == null and .holders == []'
    refused "K takes a whole number from 1 to 1024" resize "$Q" 2000
    refused "there is no gate" resize etcd:nobody 2
}

@test "slots, and who is inside and who waits" {
    enter one "$Q" -k 2
    eventually inside one
    enter two "$Q"
    eventually inside two
    enter three "$Q"
    eventually is 1 waiters "$Q"
    [ "$(cut -d' ' -f2 "$T/one.in" "$T/two.in" | sort | paste -sd' ')" = "0 1" ]
    exits 0 status "$Q" --json
    json '[.holders[] | .slot] == [0, 1]'
    json '.waiters[0] | .place == 1 and .host == null and .user != null and .pid > 0 and .condition == "lives"'
    json '.waiters[0].command | startswith("sh -c ")'
    json '.waiters[0].since | startswith("20")'
    exits 0 status "$Q"
    says "2 of 2 inside, 1 waiting"
    let_go one
    eventually inside three
    exits 0 list etcd:
    says "$Q"
    exits 0 list etcd: --json
    json "any(.[]; .gate == \"$Q\" and .holders == 2)"
    exits 1 remove "$Q"
    says_error "is in use: process"
    let_go two
    let_go three
    eventually is 0 everybody "$Q"
    exits 0 remove "$Q"
    exits 2 status "$Q"
}

@test "status --watch, and top without a screen: who comes, who is gone, and the gate's end" {
    local watcher
    exits 0 run -k 1 "$Q" -- true
    background status --watch "$Q"
    watcher=$pid
    eventually grep -q '0 of 1 inside' "$T/background.out"
    enter one "$Q"
    eventually grep -q ' entered  *slot 0  .* sh -c' "$T/background.out"
    env "$ADMIT" top "$Q" >"$T/top.out" 3>&- &
    local top=$!
    eventually grep -q '1 of 1 inside' "$T/top.out"
    let_go one
    eventually grep -q ' gone  *slot 0  .*sh -c.*(left or died)' "$T/background.out"
    eventually grep -q ' gone ' "$T/top.out"
    exits 0 remove "$Q"
    ends 0 "$watcher"
    ends 0 "$top"
    grep -q ' removed ' "$T/background.out"
    refused "there is no gate" top "$Q"
}

@test "in the order in which they came" {
    local n
    enter first "$Q" -k 1
    eventually inside first
    for n in 1 2 3 4 5 6; do
        background run "$Q" -- sh -c 'echo $0 >>$T/order' "$n"
        eventually is "$n" waiters "$Q"
    done
    let_go first
    eventually is 0 everybody "$Q"
    [ "$(paste -sd' ' "$T/order")" = "1 2 3 4 5 6" ]
}

@test "-w, --try, and a place that is given up" {
    enter first "$Q" -k 1
    eventually inside first
    exits 75 run --try "$Q" -- true
    exits 124 run -w 0.2 "$Q" -- true
    exits 9 run -w 0.1 -E 9 "$Q" -- true
    background run "$Q" -- true
    eventually is 1 waiters "$Q"
    kill -INT "$pid"
    ends 130 "$pid"
    is 0 waiters "$Q"
    let_go first
    eventually is 0 everybody "$Q"
    exits 0 run --try "$Q" -- true
}

@test "resize while they wait" {
    local n
    enter one "$Q" -k 1
    eventually inside one
    for n in two three four; do
        enter $n "$Q"
        sleep 0.1
    done
    eventually is 3 waiters "$Q"
    exits 0 resize "$Q" 3
    eventually is 3 holders "$Q"
    eventually inside two # they are holders a moment before their commands run
    eventually inside three
    # No two have one slot, also of those that went in before there were numbers.
    [ "$(cat "$T"/*.in | cut -d' ' -f2 | sort | paste -sd' ')" = "0 1 2" ]
    exits 0 resize "$Q" 1
    let_go one
    let_go two
    let_go three
    eventually inside four
    let_go four
    eventually is 0 everybody "$Q"
}

@test "k goes to 1 and back: nobody shares a slot, and the tokens of a slot grow" {
    local note='echo "$ADMIT_SLOT $ADMIT_TOKEN" >>$T/tokens; '
    STAY="$note$STAY"
    exits 0 run -k 2 "$Q" -- true
    enter x "$Q"
    eventually inside x
    enter y "$Q"
    eventually inside y
    enter b "$Q"
    eventually is 1 waiters "$Q"
    enter a "$Q"
    eventually is 2 waiters "$Q"
    let_go x
    eventually inside b
    exits 0 resize "$Q" 1
    let_go y
    let_go b
    eventually inside a
    exits 0 resize "$Q" 2
    enter c "$Q"
    eventually inside c
    [ "$(cut -d' ' -f2 "$T/a.in")" != "$(cut -d' ' -f2 "$T/c.in")" ]
    exits 0 resize "$Q" 1
    let_go a
    let_go c
    exits 0 run "$Q" -- sh -c "$note"
    exits 0 run "$Q" -- sh -c "$note"
    awk '$2 <= last[$1] { fell = 1 } { last[$1] = $2 } END { exit fell || NR != 7 }' "$T/tokens"
}

@test "k = 1 grows: who is inside keeps slot 0, whoever comes and goes" {
    exits 0 run -k 1 "$Q" -- true
    local waiting=0
    enter h "$Q"
    eventually inside h
    for name in b c d; do
        enter $name "$Q"
        eventually is $((++waiting)) waiters "$Q"
    done
    exits 0 resize "$Q" 2
    for name in b c d; do
        eventually inside $name
        [ "$(cut -d' ' -f2 "$T/$name.in")" = 1 ]
        let_go $name
    done
    [ "$(cut -d' ' -f2 "$T/h.in")" = 0 ]
    let_go h
    eventually is 0 everybody "$Q"
    exits 0 run "$Q" -- sh -c 'echo $ADMIT_SLOT'
    [ "$output" = 0 ]
}

@test "what somebody else does to the keys" {
    export ETCDCTL_API=3
    etcdctl() { command etcdctl --endpoints "$ADMIT_ETCD" "$@" >/dev/null; }
    exits 0 run -k 2 "$Q" -- true
    etcdctl put "admit/${Q#etcd:}/k" 02
    run_refused "is no number of slots" "$Q" -- true
    etcdctl put "admit/${Q#etcd:}/k" 2
    etcdctl put "admit/${Q#etcd:}/slot/0" x
    etcdctl put "admit/${Q#etcd:}/slot/1" x
    run_refused "somebody else has written to the keys of its slots" --try "$Q" -- true
    exits 0 remove --force "$Q"
    # A lease that is revoked: known at the next renewal, and then at once.
    background run -k 1 --ttl 6 "$Q" -- sh -c 'echo in >$T/in; exec sleep 1000'
    eventually test -s "$T/in"
    for lease in $(command etcdctl --endpoints "$ADMIT_ETCD" lease list | grep -v found); do
        etcdctl lease revoke "$lease"
    done
    ends 125 "$pid"
    grep -q "is over: the command is killed" "$T/background.err"
}

@test "a gate that is removed by force: who waits is told" {
    enter one "$Q" -k 1
    eventually inside one
    background run "$Q" -- true
    eventually is 1 waiters "$Q"
    exits 0 remove --force "$Q"
    ends 125 "$pid"
    let_go one
}

@test "admit is killed: the command is, too, and the slot comes back when the lease ends" {
    enter one "$Q" -k 1 --ttl 2
    eventually inside one
    kill -KILL "$pid"
    eventually ended "$(cut -d' ' -f3 "$T/one.in")"
    exits 0 run -w 60 "$Q" -- true
}

@test "a lease that cannot be renewed: the command is ended before" {
    background run -k 1 --ttl 2 "$Q" -- sh -c 'trap "echo told >$T/told" TERM; echo in >$T/in; while :; do sleep 0.05; done'
    eventually test -s "$T/in"
    kill -STOP "$(cat "$SERVER/pid")"
    ends 125 "$pid"
    kill -CONT "$(cat "$SERVER/pid")"
    [ -s "$T/told" ]
    grep -q "the lease at '$Q' is about to end, since it could not be renewed: the command is ended" "$T/background.err"
    eventually is 0 everybody "$Q"
}

@test "a signal is obeyed while the server does not answer" {
    enter one "$Q" -k 1
    eventually inside one
    kill -STOP "$(cat "$SERVER/pid")"
    background run "$Q" -- true
    sleep 0.5
    kill -TERM "$pid"
    for _ in {1..100}; do
        ended "$pid" && break
        sleep 0.05
    done
    ended "$pid"
    kill -CONT "$(cat "$SERVER/pid")"
    ends 143 "$pid"
    let_go one
    eventually is 0 everybody "$Q"
}

@test "a gate is removed by force where the store is full, and who waits is told" {
    local filler
    filler=$(printf 'x%.0s' {1..100000})
    start_etcd "$T/server" --quota-backend-bytes=2000000
    enter one etcd:full -k 1
    eventually inside one
    background run etcd:full -- touch "$T/went.in"
    eventually is 1 waiters etcd:full
    for n in {1..60}; do
        ETCDCTL_API=3 etcdctl --endpoints "$ADMIT_ETCD" put "filler$n" "$filler" >/dev/null 2>&1 || break
    done
    exits 125 run -k 1 etcd:another -- true
    says_error "database space exceeded"
    exits 0 remove --force etcd:full
    ends 125 "$pid"
    [ ! -e "$T/went.in" ]
    exits 2 status etcd:full
    let_go one
    stop_etcd "$T/server"
}

@test "admit is stopped for longer than its lease: the next goes in, and the command ends when it goes on" {
    enter one "$Q" -k 1 --ttl 2
    eventually inside one
    kill -STOP "$pid"
    exits 0 run -w 60 --ttl 2 "$Q" -- true
    kill -CONT "$pid"
    ends 125 "$pid"
    eventually ended "$(cut -d' ' -f3 "$T/one.in")"
    grep -q "is over: the command is killed, and may have run beside another" "$T/background.err"
}

@test "one that waits and was stopped for longer than its lease goes on at the end of the line" {
    enter one "$Q" -k 1
    eventually inside one
    background run --ttl 2 "$Q" -- sh -c 'echo late >>$T/order'
    eventually is 1 waiters "$Q"
    kill -STOP "$pid"
    eventually is 0 waiters "$Q"
    local stopped=$pid
    background run "$Q" -- sh -c 'echo early >>$T/order'
    eventually is 1 waiters "$Q"
    kill -CONT "$stopped"
    eventually is 2 waiters "$Q"
    let_go one
    ends 0 "$stopped"
    [ "$(paste -sd' ' "$T/order")" = "early late" ]
    grep -q "goes on at the end of the line" "$T/background.err"
}

@test "run -b, jobs, wait, output, cancel" {
    local n
    for n in 1 2 3; do
        exits 0 run -b -k 1 "$Q" -- sh -c "echo $n \$ADMIT_SLOT >>\$T/order; exit $n"
    done
    exits 0 wait "$Q"
    [ "$(paste -sd' ' "$T/order")" = "1 0 2 0 3 0" ]
    exits 1 wait @1 @2
    exits 0 jobs "$Q"
    says "status 3"
    exits 0 run -b "$Q" -- sh -c 'echo out; sleep 1000'
    eventually is out "$ADMIT" output @4
    exits 0 cancel @4
    eventually is 0 everybody "$Q"
}

@test "a list of resources, a limit, a log" {
    exits 0 run --slot-env GPU=a,b "$Q" -- sh -c 'echo $GPU'
    [ "$output" = a ]
    exits 143 run --limit 0.2 "$Q" -- sleep 1000
    exits 0 run --log "$T/log" "$Q" -- true
    jq -es --arg gate "$Q" 'map(.event) == ["enter", "exit"] and all(.[]; .gate == $gate and .path == $gate)' "$T/log"
    exits 0 report "$T/log"
}

@test "what is for gates of this machine is refused" {
    exits 0 run -k 1 "$Q" -- true
    run_refused "--children is for gates of this machine" --children "$Q" -- true
    run_refused "--mode is for gates of this machine" --mode 0666 "$Q" -- true
    run_refused "--capacity is for gates of this machine" --capacity 9 "$Q" -- true
    run_refused "--ttl takes whole seconds, from 2" --ttl 1 "$Q" -- true
    run_refused "--ttl is for gates on etcd" --ttl 5 -k 1 here -- true
    run_refused "could wait for itself for ever" "$Q" -- "$ADMIT" run "$Q" -- true
    exits 125 enter "$Q"
    says_error "is for gates of this machine, and '$Q' is on etcd"
    exits 125 jobserver "$Q" -- make
    says_error "is for gates of this machine"
    refused "is for gates of this machine" leave "$Q"
}

@test "names" {
    local etcd=${ADMIT_ETCD#http://}
    exits 0 run -k 1 "etcd://$etcd/$BATS_TEST_NUMBER" -- true
    exits 0 run -k 1 "etcd:http://$etcd/$BATS_TEST_NUMBER" -- true
    ADMIT_ETCD=127.0.0.1:1,$etcd exits 0 run -k 1 "etcd:$BATS_TEST_NUMBER" -- true
    exits 0 list "etcd://$etcd"
    says "etcd://$etcd/$BATS_TEST_NUMBER"
    run_refused "bad gate name" -k 1 "etcd:a b" -- true
    run_refused "bad gate name" -k 1 "etcd:" -- true
    run_refused "bad gate name" -k 1 "etcd://$etcd" -- true
    run_refused "bad gate name" -k 1 "etcd:.." -- true
    run_refused "user and password of etcd do not stand in a name" -k 1 "etcd://ada:secret@$etcd/x" -- true
    ADMIT_ETCD= run_refused "where is etcd? ADMIT_ETCD=HOST:PORT" -k 1 etcd:x -- true
    ADMIT_ETCD=127.0.0.1:1 run_refused "127.0.0.1:1" -k 1 etcd:x -- true
    ADMIT_ETCD_CA=$T/ca run_refused "say https:// before the endpoints" -k 1 etcd:x -- true
    refused "is no cluster" list gpu
}

@test "without admit-etcd: what to install" {
    mkdir "$T/alone"
    cp "$ADMIT" "$T/alone/admit"
    ADMIT=$T/alone/admit run_refused "gates on etcd need admit-etcd" -k 1 "$Q" -- true
    ADMIT=$T/alone/admit run_refused "libcurl4-openssl-dev" -k 1 "$Q" -- true
    ADMIT=$T/alone/admit exits 2 status "$Q"
    ADMIT=$T/alone/admit exits 0 run -k 1 here -- true
}

@test "without libcurl: what to install for https, and nothing else needs it" {
    mkdir "$T/libraries"
    echo "no library" >"$T/libraries/libcurl.so.4"
    export LD_LIBRARY_PATH=$T/libraries
    exits 0 run -k 1 "$Q" -- true
    run_refused "TLS needs libcurl" -k 1 etcd:https://127.0.0.1:1/x -- true
    run_refused "libcurl4" etcd:https://127.0.0.1:1/x -- true
    refused "TLS needs libcurl" list etcd:https://127.0.0.1:1
}

@test "a user and a password, from a file that is one's own" {
    local root
    start_etcd "$T/server"
    local endpoint=$ADMIT_ETCD
    root=(etcdctl --endpoints "$endpoint")
    export ETCDCTL_API=3
    "${root[@]}" user add root:rootword
    "${root[@]}" user add ada:secret
    "${root[@]}" role add gates
    "${root[@]}" role grant-permission gates --prefix=true readwrite admit/
    "${root[@]}" user grant-role ada gates
    "${root[@]}" user grant-role root root
    "${root[@]}" auth enable
    run_refused "etcd:x" -k 1 etcd:x -- true
    export ADMIT_ETCD_USER=ada
    run_refused "ADMIT_ETCD_USER needs ADMIT_ETCD_PASSWORD_FILE" -k 1 etcd:x -- true
    echo secret >"$T/password"
    chmod 644 "$T/password"
    export ADMIT_ETCD_PASSWORD_FILE=$T/password
    run_refused "can be read by others (mode 0644): chmod 600 keeps a secret" -k 1 etcd:x -- true
    chmod 600 "$T/password"
    exits 0 run -k 2 etcd:x -- true
    exits 0 status etcd:x
    echo wrong >"$T/password"
    run_refused "etcd:x" -k 2 etcd:x -- true
    ADMIT_ETCD_PASSWORD=secret exits 0 run etcd:x -- true
    stop_etcd "$T/server"
}

@test "TLS: a CA, and certificates of clients" {
    local new=(openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
    command -v openssl >/dev/null || skip "there is no openssl"
    (
        cd "$T"
        printf 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n' >both
        for name in ca other; do
            "${new[@]}" -x509 -days 2 -subj "/CN=$name" -keyout $name.key -out $name.pem
        done
        for name in server client; do
            "${new[@]}" -subj "/CN=$name" -keyout $name.key -out $name.csr
            openssl x509 -req -days 2 -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile both -out $name.pem
        done
    ) 2>/dev/null
    SCHEME=https start_etcd "$T/server" --cert-file="$T/server.pem" --key-file="$T/server.key" --client-cert-auth \
        --trusted-ca-file="$T/ca.pem"
    run_refused "etcd:x" -k 1 etcd:x -- true
    export ADMIT_ETCD_CA=$T/ca.pem
    run_refused "etcd:x" -k 1 etcd:x -- true
    export ADMIT_ETCD_CERT=$T/client.pem ADMIT_ETCD_KEY=$T/client.key
    chmod 600 "$T/client.key"
    exits 0 run -k 1 etcd:x -- sh -c 'echo $ADMIT_SLOT'
    [ "$output" = 0 ]
    exits 0 run "etcd:$ADMIT_ETCD/x" -- true
    chmod 640 "$T/client.key"
    run_refused "can be read by others" etcd:x -- true
    chmod 600 "$T/client.key"
    ADMIT_ETCD_CA=$T/other.pem run_refused "etcd:x" etcd:x -- true
    stop_etcd "$T/server"
}
