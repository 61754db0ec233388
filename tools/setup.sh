#!/usr/bin/env bash
# Installs what is missing of the named sections of tools/packages.txt: tools/setup.sh [build report test python mpi docs format]
set -euo pipefail
cd "$(dirname "$0")/.."

known=$(sed -n 's/^\[\(.*\)\]$/\1/p' tools/packages.txt)
sections=("$@")
[ ${#sections[@]} -gt 0 ] || sections=(build report)
system=$(. /etc/os-release && echo "$ID")

# packages_of SECTION: the names listed under [SECTION] that this system wants
packages_of() {
  sed -n "/^\[$1\]$/,/^\[/p" tools/packages.txt | grep -v -e '^\[' -e '^#' -e '^$' | while IFS=@ read -r name only; do
    [ -z "$only" ] || [ "$only" = "$system" ] || continue
    echo "$name"
  done
}

missing=()
for section in "${sections[@]}"; do
  grep -qx -- "$section" <<<"$known" || { echo "setup: no section '$section' in tools/packages.txt; there are:" $known >&2; exit 2; }
  for package in $(packages_of "$section"); do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
done

if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: all packages of '${sections[*]}' are installed"
  exit 0
fi
echo "setup: installing ${missing[*]}"
root=()
[ "$(id -u)" -eq 0 ] || root=(sudo)
export DEBIAN_FRONTEND=noninteractive
"${root[@]}" apt-get update -qq
"${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
