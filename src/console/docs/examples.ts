import type { Language } from '../format/languages.js';
import { type ReadRequest, requestCode } from './request-code.js';

/** A request as programs that a customer can copy, and their output. `…` stands for parts that vary or are left out. */
export interface Example {
  title: string;
  /** `$BASE_URL` is replaced with the URL of this service. */
  codes: Record<Language, string>;
  answer: string;
}

const example = (title: string, request: ReadRequest, answer: string): Example => ({ title, codes: requestCode(request), answer });

/** In the order of the page. `test/console/guides.test.ts` runs each example in each language and compares the output. */
export const examples = {
  loadedCounties: example(
    'Loaded counties',
    { path: '/api/counties?status=loaded', isPublic: true },
    '{"counties":[{"fips":"48301","name":"Loving County","state":"TX","status":"loaded","parcel_count":300,…}…],"total":…}',
  ),
  firstRequest: example(
    'Two records',
    { path: '/api/parcels?limit=2' },
    '{"parcels":[{"parcel_id":"…","county_fips":"48301","state":"TX","county_name":"Loving County","apn":"S-001-001",…}],"metering":{"plan":"trial","credits_charged":2,"credits_remaining":48,"overage_records":0,"overage_usd":"0.00","ledger_entry_id":"…"}}',
  ),
  usage: example(
    'Remaining credits and recent usage',
    { path: '/api/usage' },
    '{"token":{…"plan":"trial","state":"active",…},"balance":{…"credits_remaining":48,…},"ledger":[{…"kind":"read","records":2,"credits":-2,…"balance_after":48,…},…],"metering":{…"credits_charged":0,…}}',
  ),
  paging: example(
    'The link to the next page',
    { path: '/api/parcels?limit=1', prints: 'Link' },
    'Link: <$BASE_URL/api/parcels?limit=1&cursor=…>; rel="next"',
  ),
  idempotency: example(
    'Repeating a request',
    { path: '/api/parcels?limit=1', headers: { 'Idempotency-Key': 'nightly-1' }, prints: 'Idempotency-Replayed' },
    'Idempotency-Replayed: true',
  ),
  receipt: example('The receipt of a read', { path: '/api/parcels?limit=1', prints: 'Ledger-Hash' }, 'Ledger-Hash: …'),
  error: example(
    'A parameter out of range',
    { path: '/api/parcels?limit=1001', isRefused: true },
    '{"error":"invalid_request","message":"limit must be 1000 or less, not 1001.","request_id":"…","details":[{"parameter":"limit","message":"must be 1000 or less, not 1001"}]}',
  ),
  wholeCounty: {
    title: 'Every record of a county',
    codes: {
      curl: `next='$BASE_URL/api/parcels?county_fips=48301&limit=100'
while [ -n "$next" ] && page=$(curl -sS --fail-with-body -H "Authorization: Bearer $API_TOKEN" -D headers.txt "$next"); do
  printf '%s\\n' "$page" | grep -oE '"apn":("[^"]*"|null)'
  next=$(sed -n 's/^[Ll]ink: <\\([^>]*\\)>.*/\\1/p' headers.txt)
done
[ -z "$next" ] || { printf '%s\\n' "$page" >&2; false; }`,
      javascript: `const headers = { Authorization: \`Bearer \${process.env.API_TOKEN}\` };
let next = '$BASE_URL/api/parcels?county_fips=48301&limit=100';
while (next) {
  const response = await fetch(next, { headers });
  if (!response.ok) throw new Error(await response.text());
  const { parcels } = await response.json();
  for (const { apn } of parcels) console.log(\`"apn":\${JSON.stringify(apn)}\`);
  next = /<([^>]+)>/.exec(response.headers.get('Link') ?? '')?.[1];
}`,
      python: `import json
import os
import re
import urllib.request

headers = {"Authorization": "Bearer " + os.environ["API_TOKEN"]}
next_page = "$BASE_URL/api/parcels?county_fips=48301&limit=100"
while next_page:
    with urllib.request.urlopen(urllib.request.Request(next_page, headers=headers)) as response:
        for parcel in json.load(response)["parcels"]:
            print('"apn":' + json.dumps(parcel["apn"]))
        link = re.search(r"<([^>]+)>", response.headers.get("Link", ""))
    next_page = link and link.group(1)`,
    },
    answer: '"apn":"S-001-001"\n"apn":"S-001-002"\n…',
  },
} satisfies Record<string, Example>;
