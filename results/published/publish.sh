#!/bin/sh
# Makes the published runs and their reports again: see runs.txt. Run it from
# the repository's root, as `make publish` does. With DEVICE=1 it measures on
# scratch loop devices too, which takes root and about 40 minutes.
set -eu
grep -v '^#' results/published/runs.txt | while read -r folder profile options; do
	out=results/published/$folder
	case "$options" in
	*sim:*) again=1 ;;
	*) again=${DEVICE:-} ;;
	esac
	if [ -n "$again" ]; then
		echo "run $folder"
		rm -rf "$out"
		# shellcheck disable=SC2086 # the options are words
		./iosweep run "$profile" $options --no-report --out "$out" >/dev/null 2>&1
	fi
	echo "report $folder"
	rm -rf "$out/report"
	./iosweep report "$out" --out "$out/report" >/dev/null
	# The SVG of each picture is kept; the PNG would triple the repository.
	rm -f "$out"/report/plots/*.png
done
