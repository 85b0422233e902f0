#!/bin/sh
# `sh src/server/deploy/backup.sh FOLDER [DAYS]` writes a backup into FOLDER and deletes those that are older than DAYS (14). Run it every
# night, with the server's settings; compose.yaml does. Copy FOLDER to another machine.
set -eu
mkdir -p "$1"
sh "$(dirname "$0")/run.sh" cli backup "$1/parcel-records-$(date -u +%Y-%m-%dT%H%M%SZ).backup"
# Only after the new one is complete.
find "$1" -name 'parcel-records-*.backup' -mtime "+${2:-14}" -delete
