# common.bash: what the scripts of the lab share. Sourced.
#
# A failure is one line on stderr. Exit codes as tickvm's: 1 failed, 2 usage,
# 77 this machine cannot.

# Where the parts of KVM lie in a kernel tree: all that its modules are built from,
# and that a change of KVM may touch. Shell patterns, from the top of the tree.
# shellcheck disable=SC2034 # used where this is sourced
kvm_paths=(
	'arch/x86/kvm' 'virt/kvm' 'include/kvm'
	'include/linux/kvm*.h' 'include/uapi/linux/kvm*.h' 'include/trace/events/kvm.h'
	'arch/x86/include/asm/kvm*.h' 'arch/x86/include/uapi/asm/kvm*.h'
)

say() { # WHAT WHICH
	printf '  %-7s %s\n' "$1" "$2" >&2
}

fail() { # CODE TEXT
	printf 'tickvm: lab: %s\n' "$2" >&2
	exit "$1"
}

need() { # COMMAND PACKAGE …
	while [ $# -gt 0 ]; do
		command -v "$1" >/dev/null || fail 77 "$1 is missing: the package $2 has it"
		shift 2
	done
}

# Runs a command quietly; what it said is shown when it fails.
quietly() { # WHAT COMMAND…
	local what=$1 log
	shift
	log=$(mktemp)
	if "$@" >"$log" 2>&1; then
		rm -f "$log"
	else
		tail -n 30 "$log" >&2
		rm -f "$log"
		fail 1 "$what failed"
	fi
}
