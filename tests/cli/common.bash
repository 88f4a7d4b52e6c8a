# Shared by the tests of the command line.

setup() {
  cd "$BATS_TEST_DIRNAME/../.."
}

need_kvm() {
  [ -r /dev/kvm ] && [ -w /dev/kvm ] || skip "no usable /dev/kvm"
}

# One line on stderr, begun as every line of ours is, that matches; and the code.
refuses() { # CODE PATTERN COMMAND...
  local code=$1 pattern=$2
  shift 2
  run --separate-stderr "$@"
  echo "exit $status; stdout: $output; stderr: $stderr"
  [ "$status" -eq "$code" ]
  [ "$(wc -l <<<"$stderr")" -eq 1 ]
  grep -qE -- "^tickvm( [a-z]+)?: .*$pattern" <<<"$stderr"
  [ -z "$output" ]
}

# A run that ends with this code, and whose last line matches.
ends() { # CODE PATTERN COMMAND...
  local code=$1 pattern=$2
  shift 2
  run timeout 60 "$@" </dev/null
  echo "exit $status: $output"
  [ "$status" -eq "$code" ]
  tail -n 1 <<<"$output" | grep -qE -- "$pattern"
}
