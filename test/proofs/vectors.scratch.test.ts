import { writeFileSync } from 'node:fs';
import { entryText } from '../../src/proofs/verifier/verify-ledger.js';
import { madeTerms, MadeLedger, noon } from './made-ledger.js';
import { createTestDatabase } from '../harness/database.js';
it('x', async () => {
  const l = new MadeLedger();
  l.add('grant', { credits: 100, at: noon });
  l.terms();
  l.add('token', { token_id: '10000000-0000-4000-8000-000000000001', reason: JSON.stringify({ event: 'issued', owner: madeTerms.owner, secret_sha256: 'ab'.repeat(32), at: noon + 2002 }) });
  const r = l.read(60, { at: noon + 60_000_001, segments: [7, 1, 50, 9, 1, 10], idempotency_key: `it's \\ a | key 😀`, request_hash: 'cd'.repeat(32) });
  l.replay(r, { at: noon + 60_900_000, request_id: '20000000-0000-7000-8000-0000000000ff' });
  const o = l.read(100, { at: noon + 61_000_000 });
  l.reverse(o, { at: noon + 72_000_000, request_id: o.request_id, county_fips: '25017' });
  l.read(0, { at: noon + 80_123_456, county_fips: null, request_id: null });
  l.add('adjustment', { at: noon + 90_000_000, credits: 5, reason: 'Sorry for “Tuesday”: \\o/\nsecond line', actor: 'command line' });
  writeFileSync('/tmp/vl/vectors.ndjson', l.file);
  writeFileSync('/tmp/vl/vectors.txt', l.lines.map((e) => entryText(e)).join('\n====\n'));
  const db = await createTestDatabase();
  for (const e of l.lines) {
    const [row] = await db.query(`select encode(entry_hash(decode(e.previous_hash,'hex'), e.id, e.balance_id, e.sequence, e.token_id, e.kind, to_timestamp(0) + e.at * interval '1 microsecond', e.records, e.credits, e.overage_records, e.overage_cents, e.balance_after, e.overage_after, to_timestamp(0) + e.period_start * interval '1 microsecond', e.segments, e.county_fips, e.attempt, e.reverses, e.repeats, decode(e.request_hash,'hex'), e.request_id, e.idempotency_key, e.reason, e.actor),'hex') as hash
     from jsonb_to_record($1) as e(previous_hash text, id uuid, balance_id uuid, sequence integer, token_id uuid, kind text, at bigint, records integer, credits integer, overage_records integer, overage_cents bigint, balance_after integer, overage_after integer, period_start bigint, segments integer[], county_fips text, attempt integer, reverses uuid, repeats uuid, request_hash text, request_id text, idempotency_key text, reason text, actor text)`, [JSON.stringify(e)]);
    expect(row).toEqual({ hash: e.hash });
  }
  console.log((await db.query(`select concat(extract(epoch from timestamptz '2026-01-01 00:00:00Z'),' ',extract(epoch from timestamptz '1969-12-31 23:59:59.5Z'),' ',extract(epoch from timestamptz '1970-01-01 00:00:00.000001Z'), ' ', quote_nullable(E'a\\\\b''c'), ' ', array[1,2]::int[]::text, concat(null::int[]::text)) as x`))[0]);
});
