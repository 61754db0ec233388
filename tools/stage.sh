# Sourced by the scripts beside it: `stage NAME COMMAND...` runs a command and prints how long it took.
stage() {
  local name=$1 started=$SECONDS
  shift
  echo "== $name"
  "$@"
  echo "== $name: $((SECONDS - started)) s"
}
