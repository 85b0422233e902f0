// Keeps the copy of read-county current: HEAD names the digest of each record at no charge, and only records
// whose digest is new are bought. Without a copy it buys the whole county. Writes COUNTY.json.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const county = process.argv[2] ?? '48301';
const api = process.env.API_URL ?? 'http://localhost:3000/api';

async function call(method, url, key) {
  for (let attempt = 0; ; attempt++) {
    const headers = { Authorization: `Bearer ${process.env.API_TOKEN}`, ...(key && { 'Idempotency-Key': key }) };
    let answer = { retryable: true, body: 'no connection' };
    try {
      const response = await fetch(url, { method, headers });
      const { status } = response;
      answer = { status, headers: response.headers, body: await response.text(), retryable: status === 429 || status >= 500 };
    } catch {} // a lost connection
    if (answer.status === 200) return answer;
    if (answer.status === 410 && key) return call(method, url, randomUUID()); // a key works for 24 hours
    if (!answer.retryable || attempt === 9) throw new Error(`${answer.status} ${answer.body}`);
    await wait(1000 * Math.max(Number(answer.headers?.get('Retry-After') ?? 0), 2 ** attempt));
  }
}

const next = ({ headers }) => /<(.+)>; rel="next"/.exec(headers.get('Link'))?.[1];
const digestsOf = (text) => (text ?? '').trim().split(',').filter(Boolean);
const sized = (url, limit) => url.replace(/limit=\d+/, `limit=${limit}`);

function save(path, text) {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

mkdirSync(county, { recursive: true });
const recordOf = new Map();
function keep(digests, parcels) {
  for (const [i, parcel] of parcels.entries()) recordOf.set(digests[i], parcel);
}

const files = readdirSync(county).filter((name) => /^\d+\.json$/.test(name));
let file = Math.max(0, ...files.map((name) => parseInt(name, 10)));
for (const name of files) {
  const digests = readFileSync(`${county}/${name.replace('json', 'digests')}`, 'utf8');
  keep(digestsOf(digests), JSON.parse(readFileSync(`${county}/${name}`, 'utf8')).parcels);
}

const current = [];
let charged = 0;
for (let page = `${api}/parcels?county_fips=${county}&limit=100`; page; ) {
  const head = await call('HEAD', page);
  const status = head.headers.get('County-Status');
  if (status) throw new Error(`The county is ${status}: the copy stays as it was.`);
  const digests = digestsOf(head.headers.get('Record-Digests'));
  for (let at = 0; at < digests.length; at++) {
    let end = at;
    while (end < digests.length && !recordOf.has(digests[end])) end++;
    if (end === at) continue;
    // HEAD of the records before them leads to them.
    const url = sized(at === 0 ? page : next(await call('HEAD', sized(page, at))), end - at);
    const key = createHash('sha256')
      .update(url + digests.slice(at, end))
      .digest('hex');
    const bought = await call('GET', url, key);
    const { parcels, metering } = JSON.parse(bought.body);
    save(`${county}/${++file}.digests`, bought.headers.get('Record-Digests') ?? '');
    save(`${county}/${file}.json`, bought.body);
    keep(digestsOf(bought.headers.get('Record-Digests')), parcels);
    charged += metering.credits_charged;
  }
  if (!digests.every((digest) => recordOf.has(digest))) throw new Error('The county was loaded anew meanwhile. Start again.');
  current.push(...digests.map((digest) => recordOf.get(digest)));
  if (head.headers.has('Page-Cut')) throw new Error('The credits or the cap of this token end here. Raise it and start again.');
  page = next(head);
}
save(`${county}.json`, JSON.stringify(current));
console.log(`${current.length} records, ${charged} of them bought`);
