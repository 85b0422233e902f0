#!/bin/sh
# Rehearses a restore: `AUTH_SECRET=… sh src/server/deploy/rehearse.sh FILE` fills a database of its own with the backup, audits it and
# deletes it. It touches no other database, and needs room in TMPDIR for the data twice.
set -eu
unset DATABASE_URL DATABASE_DIRECT_URL
DATA_DIR=$(mktemp -d)
export DATA_DIR
trap 'rm -rf "$DATA_DIR"' EXIT
run=$(dirname "$0")/run.sh
sh "$run" cli restore "$1"
sh "$run" cli audit
