#!/usr/bin/env bats
# The lab itself: what goes in and comes out, how it ends, what it refuses.

bats_require_minimum_version 1.5.0

load ../cli/common

# Every snapshot is made before: a test that counts lines sees its own only.
setup_file() {
  cd "$BATS_TEST_DIRNAME/../.."
  build/tickvm lab build --stock
  build/tickvm lab build --stock --real-time
  build/tickvm lab build --patched
  gcc -O2 -Wall -static -o "$BATS_FILE_TMPDIR/disturb" \
    "$BATS_TEST_DIRNAME/programs/disturb.c"
}

lab() { # ARGUMENT…: a run without path lengths
  timeout 300 build/tickvm lab run --no-count "$@" </dev/null
}

disturb() { # WHAT…
  lab "${lab_options[@]}" --exec "$BATS_FILE_TMPDIR/disturb" "$@"
}

# A run's result without what is not of the run.
facts() { # RESULT
  jq -S 'del(.lab.wall_ns, .options.json)' "$1"
}

@test "stock: smoke passes, and the result says where it ran" {
  local result=$BATS_TEST_TMPDIR/result.json
  lab --json="$result" -- run build/tickvm.iso
  jq -e '.backend == "lab" and .judge == "path length" and .host.kind == "nested KVM"' "$result"
  jq -e '.lab | .name == "stock" and .kvm == "stock" and .kernel != "" and .kernel_log == []' "$result"
  jq -e '.guest.image == "build/tickvm.iso" and .options.image == "build/tickvm.iso"' "$result"
  jq -e '(.checks | length) > 30 and .verdict.status == "pass"' "$result"
}

@test "patched: smoke and exits pass, with the PM timer inside KVM and outside" {
  local place
  for place in user kernel; do
    lab --patched -- run --quiet --pmtimer=$place build/tickvm.iso
    lab --patched -- run --quiet --pmtimer=$place build/tickvm.iso -- app=exits
  done
}

@test "hello: the guest's own output comes out, the verdict last" {
  ends 0 '^PASS .*nested KVM' build/tickvm lab run --no-count -- run build/tickvm.iso -- app=hello
  grep -q '^hello' <<<"$output"
}

@test "--json=- is the result alone; the guest's output goes to stderr" {
  run --separate-stderr lab --json=- -- run build/tickvm.iso -- app=hello
  [ "$status" -eq 0 ]
  jq -e '.backend == "lab" and .options.json == "-"' <<<"$output"
  grep -q '^hello' <<<"$stderr"
}

@test "a run's own --json, in each form, comes out too" {
  local result=$BATS_TEST_TMPDIR/result.json form
  for form in "--json=$result" "--json $result" "--js=$result"; do
    rm -f "$result"
    # shellcheck disable=SC2086 # one form is two words
    lab -- run -q $form build/tickvm.iso -- app=hello
    jq -e '.backend == "lab"' "$result"
  done
}

@test "ten runs are identical while the other CPU is loaded" {
  local load i
  (while :; do :; done) 3>&- &
  load=$!
  for i in $(seq 10); do
    lab --json="$BATS_TEST_TMPDIR/$i.json" -- run build/tickvm.iso >"$BATS_TEST_TMPDIR/$i.out" ||
      { kill $load; return 1; }
  done
  kill $load
  for i in $(seq 2 10); do
    cmp "$BATS_TEST_TMPDIR/1.out" "$BATS_TEST_TMPDIR/$i.out"
    cmp <(facts "$BATS_TEST_TMPDIR/1.json") <(facts "$BATS_TEST_TMPDIR/$i.json")
  done
}

@test "a snapshot made anew gives the same run" {
  local lab=${TICKVM_LAB_DIR:-$PWD/build/lab} new=$BATS_TEST_TMPDIR/lab
  lab --json="$BATS_TEST_TMPDIR/1.json" -- run -q build/tickvm.iso
  mkdir -p "$new/labs"
  cp -al "$lab/labs/stock" "$new/labs/"
  rm "$new"/labs/stock/*.snapshot
  TICKVM_LAB_DIR=$new lab --json="$BATS_TEST_TMPDIR/2.json" -- run -q build/tickvm.iso
  cmp <(facts "$BATS_TEST_TMPDIR/1.json") <(facts "$BATS_TEST_TMPDIR/2.json")
}

@test "two runs at once do not disturb each other" {
  local first
  lab --json="$BATS_TEST_TMPDIR/1.json" -- run -q build/tickvm.iso &
  first=$!
  lab --json="$BATS_TEST_TMPDIR/2.json" -- run -q build/tickvm.iso
  wait $first
  cmp <(facts "$BATS_TEST_TMPDIR/1.json") <(facts "$BATS_TEST_TMPDIR/2.json")
}

@test "real time: smoke passes on two CPUs" {
  local result=$BATS_TEST_TMPDIR/result.json
  lab --real-time --cpus 2 --json="$result" -- run --cpus 2 build/tickvm.iso
  jq -e '.judge == "time" and .lab.real_time and .host.cpus == 2' "$result"
}

@test "a guest that dies inside fails outside" {
  ends 1 '^FAIL' build/tickvm lab run --no-count -- run build/guests/triple_fault.elf
}

@test "--exec: output, arguments, --file and exit code" {
  local lab_options=(--file tests/lab/lab.bats)
  run disturb print /run/lab.bats
  [ "$status" -eq 0 ]
  cmp <(echo "$output") tests/lab/lab.bats
  lab_options=()
  run disturb
  [ "$status" -eq 2 ]
  run disturb abort
  [ "$status" -eq 134 ]
}

@test "a warning of L1's kernel fails what passed, and is shown" {
  run disturb warn
  echo "$output"
  [ "$status" -eq 1 ]
  grep -q "^tickvm: lab: L1's kernel log: .*WARNING: CPU: 0 PID: 1 at disturb" <<<"$output"
}

@test "a panic of L1's kernel is one line, and exit code 1" {
  refuses 1 'lab: .*(panic|Kernel|sysrq)' build/tickvm lab run --exec "$BATS_FILE_TMPDIR/disturb" panic
}

@test "time-out: exit code 124; in real time once more" {
  refuses 124 'lab: time-out after 3.0 s' build/tickvm lab run --timeout=3 \
    --exec "$BATS_FILE_TMPDIR/disturb" hang
  run lab --real-time --timeout=3 --exec "$BATS_FILE_TMPDIR/disturb" hang
  echo "$output"
  [ "$status" -eq 124 ]
  [ "$(grep -c 'time-out after 3.0 s' <<<"$output")" -eq 2 ]
  grep -q 'once more$' <<<"$output"
}

@test "--trace: the run's kernel events as a file" {
  local trace=$BATS_TEST_TMPDIR/trace.txt
  lab --trace=kvm:kvm_exit,kvm:kvm_pio --trace-file="$trace" -- run -q build/tickvm.iso -- app=hello
  [ "$(grep -c ': kvm_pio: .*0x3f8' "$trace")" -gt 30 ]
  grep -q ': kvm_exit: ' "$trace"
  run ! grep -q ': kvm_entry: ' "$trace"
}

@test "--console: L1's kernel speaks on stderr" {
  run --separate-stderr lab --console --exec "$BATS_FILE_TMPDIR/disturb" panic
  [ "$status" -eq 1 ]
  grep -q 'Kernel panic - not syncing: sysrq triggered crash' <<<"$stderr"
}

@test "bad arguments are one line and exit code 2" {
  refuses 2 'lab: no command' build/tickvm lab
  refuses 2 'lab: frob is no command' build/tickvm lab frob
  refuses 2 'nothing to run' build/tickvm lab run --stock
  refuses 2 'only run' build/tickvm lab run -- parse
  refuses 2 'no IMAGE' build/tickvm lab run -- run
  ends 2 "unrecognized option '--frob'" build/tickvm lab run --frob -- run build/tickvm.iso
  refuses 2 '--irqchip: x is not' build/tickvm lab run -- run --irqchip=x build/tickvm.iso
  refuses 2 'cannot read absent.iso' build/tickvm lab run -- run absent.iso
  refuses 2 'cannot read absent' build/tickvm lab run --exec absent
  refuses 2 'one of --stock, --patched and --tree' build/tickvm lab run --stock --patched -- run x
  refuses 2 '--cpus: 17' build/tickvm lab run --cpus 17 -- run x
  refuses 2 '--gdb: end' build/tickvm lab run --gdb=end -- run x
  refuses 2 '--kernel: ../x is no version' build/tickvm lab build --kernel ../x
  refuses 2 '--tree: absent: No such file' build/tickvm lab build --tree absent
  refuses 2 'is no kernel tree' build/tickvm lab build --tree tests
  refuses 2 'lab list: x' build/tickvm lab list x
  refuses 2 'no lab absent' build/tickvm lab clean absent
  refuses 2 'no lab ../labs' build/tickvm lab clean ../labs
}

@test "what this machine cannot is exit code 77, and says what is missing" {
  mkdir -p "$BATS_TEST_TMPDIR/bin" # nothing in it
  refuses 77 'qemu-system-x86_64 is missing: the package qemu-system-x86' \
    env PATH="$BATS_TEST_TMPDIR/bin" "$PWD/build/tickvm" lab run -- run build/tickvm.iso
  refuses 77 'no Debian kernel 1.0' build/tickvm lab build --kernel 1.0
  refuses 77 'add --real-time' build/tickvm lab run --cpus 2 -- run build/tickvm.iso
}

@test "list shows what is built, clean removes it and nothing else" {
  build/tickvm lab list | grep -qE '^stock +6\.'
  build/tickvm lab list --json | jq -e '.[] | select(.name == "stock") | .bytes > 0 and .kernel != ""'
  export TICKVM_LAB_DIR=$BATS_TEST_TMPDIR/lab
  ends 0 'no lab is built' build/tickvm lab list
  mkdir -p "$TICKVM_LAB_DIR"/labs/{stock,patched} "$TICKVM_LAB_DIR"/{packages,own}
  echo kernel=6.1 | tee "$TICKVM_LAB_DIR"/labs/{stock,patched}/lab.conf
  [ "$(build/tickvm lab list | wc -l)" -eq 3 ]
  build/tickvm lab clean stock
  [ ! -e "$TICKVM_LAB_DIR/labs/stock" ] && [ -e "$TICKVM_LAB_DIR/labs/patched" ]
  build/tickvm lab clean
  [ "$(ls "$TICKVM_LAB_DIR")" = own ]
}
