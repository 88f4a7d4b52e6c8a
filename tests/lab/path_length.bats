#!/usr/bin/env bats
# Path length as a metric: exact, the same in every run, split by owner and symbol.

bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
}

# Kinds without an interrupt: QEMU's emulator can deliver one twice when L1's timer comes
# at the wrong moment, and the guest, which counts them, then fails its check.
KINDS=empty,null-port,pmtimer,kernel-port,null-page,ioapic,msr,cpuid

# The result of `exits` in the stock lab, with its profile, as FILE.
exits() { # FILE TICKVM IMAGE [LAB-OPTION…] [--mutant=NAME] [-- GUEST-WORD…]
  local file=$1 tickvm=$2 image=$3 options=() mutant=()
  shift 3
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    case $1 in
    --mutant=*) mutant=("$1") ;;
    *) options+=("$1") ;;
    esac
    shift
  done
  [ $# -eq 0 ] || shift
  [ $# -gt 0 ] || set -- only=$KINDS
  timeout 300 "$tickvm" lab run --profile --json="$file" "${options[@]}" -- \
    run --quiet "${mutant[@]}" "$image" -- app=exits "$@"
}

# The one result that several tests look at.
setup_file() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  exits "$BATS_FILE_TMPDIR/result.json" build/tickvm build/tickvm.elf
}

# A run's result without what is not of the run.
facts() { # RESULT
  jq -S 'del(.lab.wall_ns, .options.json)' "$1"
}

@test "the judge is path length: every phase's is the sum of guest, VMM and kernel" {
  jq -e '.judge == "path length" and (.phases | length == 8)' "$BATS_FILE_TMPDIR/result.json"
  jq -e '[.phases[] | .path_length, .per_operation.path_length |
          .total > 0 and .total == .guest + .vmm + .kernel] | all' "$BATS_FILE_TMPDIR/result.json"
}

@test "the profile by symbol adds up to the split" {
  jq -e '[.phases[] | . as $phase | ("guest", "vmm", "kernel") as $owner |
          [.profile[] | select(.owner == $owner)] |
          ([.[].instructions] | add // 0) == $phase.path_length[$owner] and
          ([.[].per_operation] | add // 0) == $phase.per_operation.path_length[$owner]] | all' \
    "$BATS_FILE_TMPDIR/result.json"
}

@test "symbols are named: of the guest, tickvm, the kernel and its modules" {
  jq -e '[.phases[] | select(.name == "exits.pmtimer") | .profile[] |
          select(.per_operation > 0) | .symbol] as $names |
         ["loop_in32", "pmtimer_read", "svm_vcpu_run [kvm_amd]", "do_syscall_64"] - $names == []' \
    "$BATS_FILE_TMPDIR/result.json"
}

# The guest's TSC counts instructions too, but not one that it left by an exit: that one
# is not complete.
@test "the guest's own clock finds the same lengths" {
  local compared
  compared=$(jq '[. as $result | .phases[] |
    . as $phase |
    ($result.metrics[] | select(.name == $phase.name) | .min) as $ticks |
    (.per_operation.kvm_exits | round) as $exits |
    {name, ticks: $ticks, path: .per_operation.path_length.total, exits: $exits}]' \
    "$BATS_FILE_TMPDIR/result.json")
  echo "$compared"
  jq -e 'length == 8 and all(.path - .exits == .ticks)' <<<"$compared"
}

@test "what is not of the operations is small" {
  jq -e '[.phases[] |
          .path_length.total / .operations - .per_operation.path_length.total] |
         all(. >= 0 and . < 30)' "$BATS_FILE_TMPDIR/result.json"
}

@test "ten runs are identical while the other CPU is loaded" {
  local load i first
  first=$(facts "$BATS_FILE_TMPDIR/result.json" | sha256sum)
  (while :; do :; done) 3>&- &
  load=$!
  for i in $(seq 9); do
    exits "$BATS_TEST_TMPDIR/$i.json" build/tickvm build/tickvm.elf || { kill $load; return 1; }
  done
  kill $load
  for i in $(seq 9); do
    [ "$(facts "$BATS_TEST_TMPDIR/$i.json" | sha256sum)" = "$first" ]
  done
}

# The line of a phase, and of the symbol that alone changed its path.
only_change() { # DIFF PHASE SYMBOL OWNER
  echo "$1"
  grep -q "^$2: .*, +20 each operation\$" <<<"$1"
  [ "$(grep -cE ' \+20 +\+20\.0[0-9]+$' <<<"$1")" -eq 1 ]
  grep -qF "  $3 " <<<"$(grep -E " $4 +[0-9]+ +[0-9]+ +\+20 " <<<"$1")"
}

@test "20 instructions more in the VMM: reported exactly, with the symbol" {
  local before=$BATS_TEST_TMPDIR/before.json after=$BATS_TEST_TMPDIR/after.json
  exits "$before" build/tickvm-mutants build/tickvm.elf
  exits "$after" build/tickvm-mutants build/tickvm.elf --mutant=pmtimer_20_nops
  run build/tickvm lab diff "$before" "$after"
  [ "$status" -eq 1 ]
  only_change "$output" exits.pmtimer pmtimer_read vmm
  grep -q '^1 of ' <<<"$output"
}

# In the handler of `halt`, whether or not its check passes (KINDS says why).
@test "20 instructions more in the guest: reported exactly, with the symbol" {
  local before=$BATS_TEST_TMPDIR/before.json after=$BATS_TEST_TMPDIR/after.json
  exits "$before" build/tickvm build/tickvm-mutants.elf -- only=halt,null-port || [ $? -eq 1 ]
  exits "$after" build/tickvm build/tickvm-mutants.elf -- only=halt,null-port \
    mutant=handler_20_nops || [ $? -eq 1 ]
  run build/tickvm lab diff "$before" "$after"
  [ "$status" -eq 1 ]
  only_change "$output" exits.halt count_only guest
  grep -q '^1 of ' <<<"$output"
}

# In assembly, so that no compiler arranges anything anew. Another module lies elsewhere
# in memory, as then do the kernel's objects: where a check of the kernel's looks at an
# object's place (__check_object_size), it takes an instruction more or less.
@test "20 instructions more in KVM: reported exactly, with the symbol" {
  local tree=$BATS_TEST_TMPDIR/kvm after=$BATS_TEST_TMPDIR/after.json kernel changes
  kernel=$(jq -r .lab.kernel "$BATS_FILE_TMPDIR/result.json")
  cp -r "${TICKVM_LAB_DIR:-build/lab}/kernels/$kernel/source" "$tree"
  sed -i 's/^SYM_FUNC_START(__svm_vcpu_run)/&\n\t.rept 20\n\tnop\n\t.endr/' \
    "$tree/arch/x86/kvm/svm/vmenter.S"
  exits "$after" build/tickvm build/tickvm.elf --tree="$tree" --kernel="$kernel"
  build/tickvm lab clean "$(jq -r .lab.name "$after")"
  run build/tickvm lab diff "$BATS_FILE_TMPDIR/result.json" "$after"
  echo "$output"
  [ "$status" -eq 1 ]
  grep -q '^exits.empty: .*, +0 each operation$' <<<"$output"
  # One entry into the guest an operation, of all kinds but `empty`.
  changes=$(awk '$1 == "__svm_vcpu_run" { print $(NF - 1) }' <<<"$output")
  [ "$(sort <<<"$changes" | uniq -c | xargs)" = "7 +20" ]
  # Nothing else by more than an object's place makes.
  run awk '$1 != "__svm_vcpu_run" && $(NF - 1) ~ /^[+-][0-9]+$/ && $(NF - 1) ^ 2 > 9' <<<"$output"
  [ -z "$output" ]
  run build/tickvm lab diff --more-than=30 "$BATS_FILE_TMPDIR/result.json" "$after"
  [ "$status" -eq 0 ]
}

@test "a result without profile, or none, is refused by diff in one line" {
  local bare=$BATS_TEST_TMPDIR/bare.json
  jq 'del(.phases[].profile)' "$BATS_FILE_TMPDIR/result.json" >"$bare"
  run build/tickvm lab diff "$bare" "$BATS_FILE_TMPDIR/result.json"
  [ "$status" -eq 2 ]
  [ "${#lines[@]}" -eq 1 ]
  [[ $output == *"lab run --profile"* ]]
  run build/tickvm lab diff "$bare" "$BATS_TEST_TMPDIR/absent.json"
  [ "$status" -eq 2 ]
}

@test "--no-count counts nothing, and gives no path lengths" {
  local result=$BATS_TEST_TMPDIR/result.json
  timeout 180 build/tickvm lab run --no-count --json="$result" -- run --quiet build/tickvm.elf -- app=hello
  jq -e '[.. | objects | has("path_length")] | any | not' "$result"
}
