# bash completion of tickvm

_tickvm()
{
	local word=$2 before=$3 command=${COMP_WORDS[1]}

	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W 'run parse --help --version' -- "$word")
		return
	fi
	case $command:$before in
	run:--irqchip) mapfile -t COMPREPLY < <(compgen -W 'kernel split' -- "$word") ;;
	run:--pmtimer-width) mapfile -t COMPREPLY < <(compgen -W '24 32' -- "$word") ;;
	run:--rtc-base) mapfile -t COMPREPLY < <(compgen -W 'utc localtime' -- "$word") ;;
	run:--cpus | run:--mem | run:--pin | run:--timeout | run:--entry) COMPREPLY=() ;;
	run:* | parse:*)
		if [[ $word != -* ]]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
			return
		fi
		local options='--json --verbose --quiet --help'
		if [ "$command" = run ]; then
			options+=' --cpus --mem --pin --irqchip --pmtimer-width --rtc-base'
			options+=' --entry --timeout'
		else
			options+=' --echo'
		fi
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
		;;
	esac
}

complete -o filenames -F _tickvm tickvm
