#!/bin/sh
# Reads a county into the folder COUNTY, one file per page. After a crash, start it again with the same token:
# it continues, and no page is charged twice.
set -e
county=${1:-48301} api=${API_URL:-http://localhost:3000/api}
mkdir -p "$county"
cd "$county"

get() { # URL [KEY]: into answer.new and headers.new. curl retries lost connections, 429 and 503, and waits for Retry-After.
  status=$(curl -sS --retry 1000 --retry-max-time 900 --retry-all-errors -D headers.new -o answer.new -w '%{http_code}' \
    -H "Authorization: Bearer $API_TOKEN" ${2:+-H "Idempotency-Key: $2"} "$1")
  [ "$status" = 410 ] && [ -n "$2" ] && get "$1" "$2-$(date +%s)" && return # a key works for 24 hours
  [ "$status" = 200 ] || { cat answer.new >&2; exit 1; }
}
header() { tr -d '\r' <headers.new | grep -i "^$1:" | tail -n 1 | sed 's/^[^:]*: //'; }
next() { header Link | sed -n 's/^<\(.*\)>; rel="next"$/\1/p'; }
entries() { grep -o '{"id":"[^{}]*"kind":[^{}]*}' answer.new; } # of the ledger, newest first
save() { printf '%s\n' "$run" "$page" "$since" "$url" >state.new && mv state.new state; }

if [ ! -e state ]; then
  get "$api/usage"
  since=$(entries | sed -n '1s/{"id":"\([^"]*\).*/\1/p')
  run=$since-$(date +%s) page=1 url="$api/parcels?county_fips=$county&limit=100"
  save
fi
{ read -r run; read -r page; read -r since; read -r url; } <state

while [ -n "$url" ]; do
  get "$url" "$run-$page"
  status=$(header County-Status)
  [ -z "$status" ] || { echo "The county is $status: it has no records." >&2; exit 1; }
  header Record-Digests >"$page.digests"
  mv answer.new "$page.json"
  page=$((page + 1)) url=$(next)
  save
done

records=$(cat [0-9]*.json | grep -o '"parcel_id":' | wc -l)
url=$api/usage charged=0
while [ -n "$url" ]; do
  get "$url"
  url=$(next)
  entries | grep -q "\"id\":\"$since\"" && url=
  # A reversal has fewer records than none.
  for count in $(entries | sed "/\"id\":\"$since\"/,\$d" | grep -v '"kind":"replay"' |
    sed -n "/\"county_fips\":\"$county\"/s/.*\"records\":\(-*[0-9]*\).*/\1/p"); do
    charged=$((charged + count))
  done
done
echo "$((records)) records, $charged charged in the ledger"
[ "$records" -eq "$charged" ]
