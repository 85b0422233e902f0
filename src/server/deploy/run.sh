#!/bin/sh
# Runs what is built: `sh src/server/deploy/run.sh serve`, or `… cli COMMAND`. npm, the Dockerfile and the systemd unit start it here, so
# that V8's options, with the measurement that each needs, stand once. Workers inherit them.
dist=$(dirname "$0")/../../../dist/src
what=$1
shift
if [ "$what" = serve ]; then
  files=$(ulimit -Hn)
  if [ "$files" != unlimited ] && [ "$files" -lt 1024 ]; then
    echo "Parcel Records cannot start: it needs 1024 open files, and $files are allowed. Raise the hard limit (ulimit -Hn, LimitNOFILE)." >&2
    exit 1
  fi
  # One thread collects garbage: helpers wait for each other where Postgres has the other core. p99 18 to 20 ms instead of 25 to 63.
  # Rows of the first statements live long, from which V8 concludes that all do; so it must not place later ones among its old objects.
  # With a heap that may grow to three times what lives, and young objects that outlast a read: p99 10 to 23 ms instead of 38 to 95.
  exec node --single-threaded-gc --no-allocation-site-pretenuring --heap-growing-percent=200 --max-semi-space-size=32 "$dist/main.js" "$@"
fi
# A load needs memory for its polygons. Half a million: 141 MB with a heap that grows by a third, and with what glibc gives back.
# V8 compiles on one thread, since Postgres takes the other cores.
export MALLOC_TRIM_THRESHOLD_=131072
exec node --max-semi-space-size=4 --heap-growing-percent=40 --v8-pool-size=1 "$dist/cli.js" "$@"
