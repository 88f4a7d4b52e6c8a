# bash completion of tickvm

_tickvm_lab() # WORD COMMAND
{
	local options=--help lab='--stock --patched --kernel --tree --debug --real-time --cpus'

	if [ "$COMP_CWORD" -eq 2 ]; then
		mapfile -t COMPREPLY < <(compgen -W 'build run diff list clean --help' -- "$1")
		return
	fi
	if [[ $1 != -* ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$1")
		return
	fi
	case $2 in
	build) options+=" $lab" ;;
	run)
		options+=" $lab --json --profile --no-count --trace --trace-file --console --gdb"
		options+=' --timeout --file --exec'
		;;
	diff) options+=' --more-than' ;;
	list) options=--json ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$options" -- "$1")
}

_tickvm()
{
	local word=$2 before=$3 command=${COMP_WORDS[1]}

	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W 'run parse host repro compare lab --help --version' -- "$word")
		return
	fi
	if [ "$command" = lab ]; then
		_tickvm_lab "$word" "${COMP_WORDS[2]}"
		return
	fi
	case $command:$before in
	run:--irqchip) mapfile -t COMPREPLY < <(compgen -W 'kernel split' -- "$word") ;;
	run:--pmtimer) mapfile -t COMPREPLY < <(compgen -W 'user kernel exitless' -- "$word") ;;
	run:--pmtimer-width) mapfile -t COMPREPLY < <(compgen -W '24 32' -- "$word") ;;
	run:--lock) mapfile -t COMPREPLY < <(compgen -W 'free device big' -- "$word") ;;
	run:--sci) mapfile -t COMPREPLY < <(compgen -W 'line irqfd' -- "$word") ;;
	run:--rtc-clock) mapfile -t COMPREPLY < <(compgen -W 'host vm' -- "$word") ;;
	run:--rtc-driftfix) mapfile -t COMPREPLY < <(compgen -W 'none slew' -- "$word") ;;
	run:--timer-thread) mapfile -t COMPREPLY < <(compgen -W 'main own' -- "$word") ;;
	run:--raise-lock) mapfile -t COMPREPLY < <(compgen -W 'none big' -- "$word") ;;
	run:--rtc-base) mapfile -t COMPREPLY < <(compgen -W 'utc localtime' -- "$word") ;;
	run:--cpus | run:--mem | run:--pin | run:--pin-io | run:--pmtimer-start | run:--host-clock-step | run:--timeout | run:--entry) COMPREPLY=() ;;
	run:--disk) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	repro:--calls | repro:--repeat | compare:--a | compare:--b | compare:--max-seconds | compare:--threshold) COMPREPLY=() ;;
	run:* | parse:* | host:* | repro:* | compare:*)
		if [[ $command = repro && $word != -* && $before != -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W 'pmtimer rtc-lock' -- "$word")
			return
		fi
		if [[ $word != -* ]]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
			return
		fi
		local options='--json --help'
		case $command in
		run)
			options+=' --verbose --quiet --cpus --mem --pin --pin-io --irqchip --disk --pmtimer'
			options+=' --pmtimer-width --pmtimer-start --lock --sci --rtc-base --entry --timeout'
			options+=' --rtc-clock --rtc-driftfix --host-clock-step --timer-thread --raise-lock --virtual-time --syscalls'
			;;
		compare) options+=' --a --b --max-seconds --threshold' ;;
		repro) options+=' --calls --repeat --seconds --image' ;;
		parse) options+=' --verbose --quiet --echo' ;;
		esac
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
		;;
	esac
}

complete -o filenames -F _tickvm tickvm
