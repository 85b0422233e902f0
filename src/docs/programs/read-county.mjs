// Reads a county into the folder COUNTY, one file per page. After a crash, start it again with the same token:
// it continues, and no page is charged twice.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const county = process.argv[2] ?? '48301';
const api = process.env.API_URL ?? 'http://localhost:3000/api';

async function get(url, key) {
  for (let attempt = 0; ; attempt++) {
    const headers = { Authorization: `Bearer ${process.env.API_TOKEN}`, ...(key && { 'Idempotency-Key': key }) };
    let answer = { retryable: true, body: 'no connection' };
    try {
      const response = await fetch(url, { headers });
      const { status } = response;
      answer = { status, headers: response.headers, body: await response.text(), retryable: status === 429 || status >= 500 };
    } catch {} // a lost connection
    if (answer.status === 200) return answer;
    if (answer.status === 410 && key) return get(url, randomUUID()); // a key works for 24 hours
    if (!answer.retryable || attempt === 9) throw new Error(answer.body);
    await wait(1000 * Math.max(Number(answer.headers?.get('Retry-After') ?? 0), 2 ** attempt));
  }
}

const next = ({ headers }) => /<(.+)>; rel="next"/.exec(headers.get('Link'))?.[1] ?? null;

function save(name, text) {
  writeFileSync(`${county}/${name}.new`, text);
  renameSync(`${county}/${name}.new`, `${county}/${name}`);
}

mkdirSync(county, { recursive: true });
if (!existsSync(`${county}/state`)) {
  const { ledger } = JSON.parse((await get(`${api}/usage`)).body);
  save('state', [randomUUID(), 1, ledger[0].id, `${api}/parcels?county_fips=${county}&limit=100`].join('\n'));
}
let [run, page, since, url] = readFileSync(`${county}/state`, 'utf8').split('\n');
while (url) {
  const answer = await get(url, `${run}-${page}`);
  const status = answer.headers.get('County-Status');
  if (status) throw new Error(`The county is ${status}: it has no records.`);
  save(`${page}.digests`, answer.headers.get('Record-Digests') ?? '');
  save(`${page}.json`, answer.body);
  page = Number(page) + 1;
  url = next(answer);
  save('state', [run, page, since, url].join('\n'));
}

const files = readdirSync(county).filter((name) => /^\d+\.json$/.test(name));
const kept = files.flatMap((name) => JSON.parse(readFileSync(`${county}/${name}`, 'utf8')).parcels).length;
let charged = 0;
for (let usage = `${api}/usage`; usage; ) {
  const answer = await get(usage);
  usage = next(answer);
  for (const { id, kind, county_fips, records } of JSON.parse(answer.body).ledger) {
    if (id === since) usage = null;
    if (id === since) break;
    if (county_fips === county && kind !== 'replay') charged += records; // a reversal has fewer than none
  }
}
console.log(`${kept} records, ${charged} charged in the ledger`);
process.exitCode = kept === charged ? 0 : 1;
