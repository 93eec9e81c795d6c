#!/usr/bin/env bash
# Runs the mongod for Windows that lies beside this script, with the arguments of one for Linux. A file beside it says
# where Wine is. `exec` gives mongod the process of this script, so that signals reach it: SIGINT ends it in order.
set -eu
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

# Wine has the root of the file system as the drive Z.
windows() {
  local path
  path=$(realpath -m -- "$1")
  printf '%s' "Z:${path//\//\\}"
}

args=()
measures=unset
while [ $# -gt 0 ]; do
  case $1 in
    --dbpath | --logpath | --pidfilepath | --keyFile | --config | -f)
      args+=("$1" "$(windows "$2")")
      shift
      ;;
    --dbpath=* | --logpath=* | --pidfilepath=* | --keyFile=* | --config=*) args+=("${1%%=*}=$(windows "${1#*=}")") ;;
    --nounixsocket) ;; # Windows has none
    *)
      case $1 in *diagnosticDataCollectionEnabled=*) measures=set ;; esac
      args+=("$1")
      ;;
  esac
  shift
done
# It crashes when it looks for the performance counters of Windows, which Wine does not have.
[ $measures = set ] || args+=(--setParameter diagnosticDataCollectionEnabled=false)

unset DISPLAY WAYLAND_DISPLAY
export WINEPREFIX=$here/prefix WINEDEBUG=${WINEDEBUG:--all}
# The C++ runtime of Microsoft instead of Wine's own, under which threads end while they hold locks; and no dialogs that
# offer to install something.
export WINEDLLOVERRIDES='msvcp140=n;mscoree,mshtml,winemenubuilder.exe='
exec "$(cat "$here/wine-path")" "$here/mongod.exe" "${args[@]}"
