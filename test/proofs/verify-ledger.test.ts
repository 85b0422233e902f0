import fc from 'fast-check';
import { CheckpointKey, signCheckpoint, verifyEd25519 } from '../../src/proofs/log/checkpoint.js';
import { proofFile } from '../../src/proofs/log/log-proofs.js';
import { hashLeaf, rootOf } from '../../src/proofs/log/tree.js';
import {
  describeReport,
  entryText,
  hashEntry,
  hexOf,
  inclusionRanges,
  type LedgerLine,
  verifyLedger,
} from '../../src/proofs/verifier/verify-ledger.js';
import { check, checkInPython, type PythonReport, sha256, withPython } from './both-verifiers.js';
import { documented, fileOfLines, idAt, linesIn, MadeLedger, madeTerms, noon, vectors } from './made-ledger.js';

const vectorLines = linesIn(vectors);

/** A ledger of each kind of entry, over two periods. */
function madeRun(): MadeLedger {
  const ledger = MadeLedger.opened();
  const keyed = ledger.read(60, { idempotency_key: `it's "one" \\ | 😀`, request_hash: 'ab'.repeat(32) });
  ledger.replay(keyed);
  const undelivered = ledger.read(80);
  ledger.reverse(undelivered);
  ledger.read(70);
  ledger.add('adjustment', { credits: 7, reason: 'NULL', actor: 'operator' });
  ledger.read(0, { county_fips: null, request_id: null });
  ledger.nextPeriod();
  ledger.read(30);
  return ledger;
}

/** Caps a token in the terms from now on. */
const capToken = (ledger: MadeLedger, records: number) => ledger.terms({ token_caps: { [ledger.lines[2]!.token_id!]: records } });

/** A token at its cap in two periods, also after a read was taken back; and below a cap that is set lower later. */
function cappedRun(): MadeLedger {
  const ledger = MadeLedger.opened();
  ledger.read(4);
  capToken(ledger, 9);
  const undelivered = ledger.read(5);
  ledger.reverse(undelivered);
  ledger.read(5);
  capToken(ledger, 3);
  ledger.read(0, { county_fips: null, request_id: null });
  ledger.nextPeriod();
  capToken(ledger, 9);
  ledger.read(9);
  return ledger;
}

/** A right ledger by random steps. */
function walked(steps: [number, number, string][]): MadeLedger {
  const ledger = MadeLedger.opened();
  let read: LedgerLine | null = null;
  for (const [what, n, text] of steps) {
    if (what === 0 && read) ledger.replay(read);
    else if (what === 1 && read && ledger.lines.every(({ repeats }) => repeats !== read!.id)) {
      ledger.reverse(read);
      read = null;
    } else if (what === 2) ledger.add('adjustment', { credits: n, reason: `r${text}`, actor: 'o' });
    else if (what === 3) {
      ledger.nextPeriod();
      read = null;
    } else read = ledger.read(n, { idempotency_key: `${ledger.lines.length}${text}` });
  }
  return ledger;
}

const hashed = (Object.keys(vectorLines[0]!) as (keyof LedgerLine)[]).filter(
  (name) => !['hash_version', 'hash', 'previous_hash'].includes(name),
);

describe('the hash of an entry', () => {
  it('is that of the documented vectors, whose file is right', async () => {
    for (const line of vectorLines) expect(hexOf(hashEntry(line, sha256))).toBe(line.hash);
    expect((await check(vectors)).difference).toBeNull();
    const texts = [...documented.matchAll(/```text\n([\s\S]*?)\n([0-9a-f]{64})\n```/g)];
    expect(texts.map(([, text, hash]) => [text, hash])).toEqual(
      [4, 9].map((n) => [entryText(vectorLines[n - 1]!), vectorLines[n - 1]!.hash]),
    );
  });

  const full: LedgerLine = { ...vectorLines[3]!, reverses: idAt(1, 1), repeats: idAt(2, 2), reason: 'r', actor: 'a' };
  const other: Partial<Record<keyof LedgerLine, unknown>> = {
    segments: [7, 1, 51],
    kind: 'replay',
    hash_version: undefined,
    hash: undefined,
  };
  const changed = (name: keyof LedgerLine): unknown => {
    const value = full[name];
    if (name in other) return other[name];
    return typeof value === 'number' ? value + 1 : (value as string).replace(/.$/u, (last) => (last === '1' ? '2' : '1'));
  };

  it('covers 23 fields', () => expect(hashed).toHaveLength(23));

  it.each(hashed)('changes when %s alone is changed, or set to null', (name) => {
    const hashes = [full[name], changed(name), null, ''].map((value) => {
      const line = { ...full, [name]: name === 'segments' ? (value ?? []) || [] : value } as LedgerLine;
      return hexOf(hashEntry(line, sha256));
    });
    const isQuoted = ['request_id', 'idempotency_key', 'reason', 'actor'].includes(name);
    expect(new Set(hashes.slice(0, isQuoted ? 4 : 2)).size).toBe(isQuoted ? 4 : 2);
  });

  it('distinguishes texts whose quotes and separators look alike', () => {
    const texts = [null, 'NULL', '', "'", "''", '\\', '\\\\', "\\'", '|', "'|'", 'NULL|NULL', '\n', '😀', ' '];
    const hashes = texts
      .flatMap((text) => [
        { reason: text, actor: null },
        { reason: null, actor: text },
      ])
      .map((fields) => hexOf(hashEntry({ ...full, ...fields }, sha256)));
    expect(new Set(hashes).size).toBe(2 * texts.length - 1);
  });
});

/** What somebody rewrites, and the entry at which both verifiers find what is wrong, with words of ours. */
type Rewrite = [how: string, rewrite: (ledger: MadeLedger) => unknown, entry: string];

/** A rewrite that begins with a read of so many records. */
const after = (records: number, next: (l: MadeLedger, read: LedgerLine) => unknown) => (l: MadeLedger) => next(l, l.read(records));

const [otherId, otherHash] = [idAt(1, 1), 'ab'.repeat(32)];

/** Fields that an entry of such a kind never has. */
const surplus: Record<string, Partial<LedgerLine>> = {
  terms: {
    ...{ credits: 1, token_id: otherId, county_fips: '25017', attempt: 1, request_hash: 'ab', request_id: 'r', idempotency_key: '' },
    ...{ reverses: otherId, repeats: otherId },
  },
  expiry: { reason: 'because' },
  token: { actor: 'somebody' },
  adjustment: { records: 1, overage_records: 1, overage_cents: 5, segments: [7, 1, 1] },
};

/** Someone who rewrites a ledger and hashes it anew. */
const rewritten: Rewrite[] = [
  ['a read charges more records than its segments hold', (l) => l.read(5, { segments: [7, 1, 4] }), '4 .* its segments hold 4'],
  ['a read costs another price', (l) => l.read(110, { overage_cents: 60 }), '4 .* whose price is 5 cents each'],
  ['a price is lowered, and a read charges the old one', (l) => [l.terms({ overage_unit_cents: 4 }), l.read(110)], '5 .* whose price is 4'],
  ['a read goes beyond the cap', (l) => [l.terms({ overage_cap: 9 }), l.read(110)], '5 .* beyond the cap of 9'],
  ['a token goes beyond its own cap', (l) => [capToken(l, 9), l.read(6), l.read(4)], '6 .* 10 records of token .* its cap of 9'],
  [
    'a token goes beyond its own cap by a read of the period before that was taken back',
    after(6, (l, r) => [l.nextPeriod(), capToken(l, 9), l.reverse(r, { credits: 0, overage_records: 0 }), l.read(10)]),
    '10 .* 10 records of token .* its cap of 9',
  ],
  ['a cap of a token is no number', (l) => l.terms({ token_caps: { token: 'many' } }), '4 .* valid “token_caps”'],
  ['caps of tokens are no map', (l) => l.terms({ token_caps: null }), '4 .* valid “token_caps”'],
  [
    'a read charges overage on a plan without',
    (l) => [l.terms({ overage_unit_cents: null }), l.read(110, { overage_cents: 0 })],
    '5 .* have no overage',
  ],
  [
    'a read charges overage before credits',
    (l) => l.read(10, { credits: 0, overage_records: 10 }),
    '4 .* while 100 included records are left',
  ],
  ['a read returns credits', (l) => l.read(10, { credits: 10, overage_records: 20 }), '4 .* returned 10 records for -10 credits'],
  ['a read comes after its period', (l) => l.read(1, { at: madeTerms.period_end }), '4 .* after the end'],
  ['a read comes after the end of its balance', (l) => [l.terms({ ends_at: noon + 5000 }), l.read(1)], '5 .* after the end'],
  ['a read is by a revoked token', (l) => [l.token('revoked'), l.read(1)], '5 .* after it was revoked'],
  ['a key is charged twice', (l) => ['k', 'k'].map((key) => l.read(1, { idempotency_key: key })), '5 .* “k” again, which entry 4'],
  ['a period is granted twice', (l) => l.add('grant', { credits: 100 }), '4 .* second grant'],
  ['a period is granted less', (l) => l.nextPeriod(90), '6 .* grants 100 records, but the grant before it gave 90'],
  ['a grant is followed by no terms', (l) => [l.nextPeriod(100, null), l.read(1)], '6 .* must be the terms'],
  [
    'a period begins a second after the one before, by the anchor of old',
    (l) => [l.add('expiry', { credits: -100 }), l.startPeriod(noon + 1e6), l.terms()],
    '6 .* before the one before it ended',
  ],
  ['a period begins later than its grant', (l) => l.startPeriod(noon + 1e9, { at: noon + 1e8 }), '4 .* dated before its period'],
  ['a read is of another year than its period', (l) => l.read(1, { at: 1 }), '4 .* dated before entry 3'],
  ['an entry is earlier than the one before', after(1, (l, r) => l.read(1, { at: r.at - 1 })), '5 .* dated before entry 4'],
  ['a read is by a token that was not issued', (l) => l.read(1, { token_id: otherId }), '4 .* was not issued'],
  ['a request repeats a read that has no key', after(5, (l, r) => l.replay(r, { reason: null })), '5 .* had no Idempotency-Key'],
  ['a replay has a reason of its own', after(5, (l, r) => l.replay(r, { reason: 'a gift' })), '5 .* “a gift”, which no replay has'],
  ...Object.entries(surplus).flatMap(([kind, values]) =>
    Object.entries(values).map(([name, value]): Rewrite => {
      const add = (l: MadeLedger) => l.add(kind, { reason: l.lines[1]!.reason, [name]: value });
      return [`an entry of kind ${kind} has a ${name}`, add, `4 .* has a “${name}”, which no ${kind} has`];
    }),
  ),
  ['credits expire within a period', (l) => [l.add('expiry', { credits: -100 }), l.read(1)], '5 .* must be the grant'],
  ['less expires than remains', (l) => l.add('expiry', { credits: -99 }), '4 .* not all 100 credits'],
  ['an entry moves credits that do not add up', (l) => l.read(10, { balance_after: 91 }), '4 .* make 90'],
  ['an entry counts overage that does not add up', (l) => l.read(110, { overage_after: 9 }), '4 .* add up to 10'],
  ['a replay costs a credit', after(5, (l, r) => l.replay(r, { credits: -1 })), '5 .* has a “credits”, which no replay has'],
  ['a replay delivers other records', after(5, (l, r) => l.replay(r, { segments: [7, 9, 5] })), '5 .* other records than entry 4'],
  [
    'a replay of several segments delivers others',
    (l) => l.replay(l.read(5, { segments: [7, 1, 2, 8, 1, 3] }), { segments: [7, 1, 2, 8, 2, 3] }),
    '5 .* other records',
  ],
  ['a replay is of another token', after(5, (l, r) => l.replay(r, { token_id: otherId })), '5 .* other records'],
  ['a replay repeats nothing', after(5, (l, r) => l.replay(r, { repeats: idAt(1, 4) })), '5 .* no earlier read'],
  ['a replay repeats a grant', after(5, (l, r) => l.replay(r, { repeats: l.lines[0]!.id })), '5 .* no earlier read'],
  ['a replay repeats what was taken back', after(5, (l, r) => [l.reverse(r), l.replay(r)]), '6 .* was taken back'],
  ['a read is taken back twice', after(5, (l, r) => [l.reverse(r), l.reverse(r)]), '6 .* a second time'],
  ['a replayed read is taken back', after(5, (l, r) => [l.replay(r), l.reverse(r)]), '6 .* delivered again'],
  [
    'a reversal returns credits before overage',
    after(110, (l, r) => l.reverse(r, { credits: 105, overage_records: -5 })),
    '5 .* 5 overage records instead of 10',
  ],
  ['a reversal returns too few credits', after(10, (l, r) => l.reverse(r, { credits: 9 })), '5 .* 9 credits instead of 10'],
  ['a reversal returns overage at another price', after(110, (l, r) => l.reverse(r, { overage_cents: -40 })), '5 .* 40 cents'],
  ['a reversal takes back other records', after(10, (l, r) => l.reverse(r, { records: -9, credits: 9 })), '5 .* 9 of the 10 records'],
  [
    'a reversal is of another period',
    after(10, (l, r) => [l.nextPeriod(), l.reverse(r, { period_start: l.last!.period_start })]),
    '8 .* another period',
  ],
  [
    'a closed trial gets credits back',
    after(10, (l, r) => [l.terms({ plan: 'trial', is_closed: true }), l.reverse(r)]),
    '6 .* 10 credits instead of 0',
  ],
  ['an adjustment has no reason', (l) => l.add('adjustment', { credits: 1, actor: 'x', reason: ' ' }), '4 .* without an actor or a reason'],
  ['a balance changes its owner', (l) => l.terms({ owner: 'thief' }), '4 .* of customer to thief'],
  [
    'a token is of another account',
    (l) => l.add('token', { token_id: otherId, reason: '{"event":"issued","owner":"thief"}' }),
    '4 .* gives thief a token',
  ],
  ['terms are no terms', (l) => l.add('terms', { reason: '{"owner":"customer"}' }), '4 .* valid “plan”'],
  ['an entry is of no known kind', (l) => l.add('gift', { credits: 0 }), '4 .* kind gift'],
  ['an entry is of another time than its id', (l) => l.read(1, { id: idAt(1, 4) }), '4 .* another time or place'],
  ['the first entry is no grant', (l) => [l.restart(), l.read(0)], '1 .* before the first grant'],
];

/** Changes to the file that leave the hashes as they were. The fifth entry is a read. */
const tampered: [how: string, change: Partial<Record<string, unknown>> | ((lines: LedgerLine[]) => unknown), message: RegExp][] = [
  ['an entry is changed', { records: 59 }, /Entry 5 .* it was changed/],
  ['a hash is changed', { hash: otherHash }, /Entry 5 .* it was changed/],
  ['entries are missing in the middle', (lines) => lines.splice(4, 2), /Entry 7 .* follows entry 4/],
  ['the beginning is missing', (lines) => lines.splice(0, 2), /Entry 3 .* follows entry 0/],
  ['two entries are swapped', (lines) => lines.splice(4, 2, lines[5]!, lines[4]!), /Entry 6 .* follows entry 4/],
  ['an entry has a number as text', { records: '60' }, /Line 5 has a wrong “records”/],
  ['a text has a NUL', { request_id: '\0' }, /Line 5 has a wrong “request_id”/],
  ['a request hash is empty', { request_hash: '' }, /Line 5 has a wrong “request_hash”/],
  ['a field is missing', { actor: undefined }, /Line 5 has no “actor”/],
  ['a field is added that no hash covers', { note: 1 }, /Line 5 has a field that no hash covers/],
  ['the county runs into the next field', { county_fips: '2|017' }, /Line 5 has a wrong “county_fips”/],
  ['a later version of the hash is used', { hash_version: 2 }, /Line 5 has the hash version 2/],
];

describe('the verifier', () => {
  const wrongFiles = [
    ...rewritten.map(([name, rewrite, entry]) => {
      const ledger = MadeLedger.opened();
      rewrite(ledger);
      return { name: `${name}, all hashed anew`, file: ledger.rehash().file, message: new RegExp(`^Entry ${entry}`) };
    }),
    ...tampered.map(([name, change, message]) => {
      const { lines } = madeRun();
      if (typeof change === 'function') change(lines);
      else Object.assign(lines[4]!, change);
      return { name, file: fileOfLines(lines), message };
    }),
    { name: 'a line is no JSON', file: `${madeRun().file}{"hash_version":1`, message: /Line 15 is not JSON/ },
    { name: 'the file ends with an empty line', file: `${madeRun().file}\n`, message: /Line 15 is not JSON/ },
  ];

  it('finds nothing wrong in a sound ledger, and adds up what each period costs', async () => {
    const report = await check(madeRun().file);
    expect(report).toMatchObject({ difference: null, entries: 14 });
    expect(report.balances[0]!.periods.map(({ overageRecords, overageCents }) => [overageRecords, overageCents])).toEqual([
      [30, 150],
      [0, 0],
    ]);
    expect(describeReport(report)).toContain(
      '  Period from 2026-01-01T12:00:00.000Z: 100 included records, 30 overage records (5 cents each, cap 1000), 150 cents.',
    );
  });

  it('finds nothing wrong in a ledger whose token keeps to its own cap', async () => {
    expect((await check(cappedRun().file)).difference).toBeNull();
  });

  it.each(wrongFiles)('names the entry when $name', async ({ file, message }) => {
    expect((await check(file)).difference).toMatch(message);
  });

  /** The line at which a verifier finds the first difference; null: none. */
  const lineOf = async (file: string) => (await check(file).then(({ difference, entries }) => difference && entries)) || null;
  const lineInPython = ({ difference }: PythonReport) => difference && Number(/line (\d+)/.exec(difference)![1]);

  withPython.test('and the one in Python agree on all of these, and on the documented vectors', async () => {
    const right = [vectors, madeRun().file, cappedRun().file];
    const [documentedOne, ...reports] = checkInPython([...right, ...wrongFiles.map(({ file }) => file)]);
    const wrong = reports.splice(2);
    expect([documentedOne, ...reports].map((report) => report!.difference)).toEqual([null, null, null]);
    expect(documentedOne!.hashes).toEqual(vectorLines.map(({ hash }) => hash));
    for (const [i, { name, file }] of wrongFiles.entries()) expect([name, lineInPython(wrong[i]!)]).toEqual([name, await lineOf(file)]);
  });

  withPython.test('and the one in Python give the same verdict on random ledgers, whatever single value was changed', async () => {
    const steps = fc.array(fc.tuple(fc.nat(6), fc.nat(99), fc.string({ unit: 'grapheme' })), { maxLength: 25 });
    const change = fc.record({
      line: fc.nat(),
      field: fc.nat(),
      number: fc.oneof(fc.nat(5), fc.integer()),
      text: fc.string(),
      isHashed: fc.boolean(),
    });
    const files = fc.sample(fc.tuple(steps, fc.option(change, { freq: 4 })), { numRuns: 400, seed: 36 }).map(([walk, changed]) => {
      const ledger = walked(walk);
      if (!changed) return { file: ledger.file, isRight: true };
      const line = ledger.lines[changed.line % ledger.lines.length]!;
      const name = hashed[changed.field % hashed.length]!;
      const { number, text } = changed;
      const value = typeof line[name] === 'number' ? number : name === 'segments' ? [1, 1, number] : text;
      const isSame = Object.is(line[name], value);
      Object.assign(line, { [name]: value });
      return { file: (changed.isHashed ? ledger.rehash() : ledger).file, isRight: isSame };
    });
    const inPython = checkInPython(files.map(({ file }) => file));
    for (const [i, { file, isRight }] of files.entries()) {
      const line = await lineOf(file);
      expect([file, lineInPython(inPython[i]!)]).toEqual([file, line]);
      if (isRight) expect(line).toBeNull();
    }
    expect(inPython.filter(({ difference }) => difference).length).toBeGreaterThan(150);
  });

  const agreed = { overage_unit_cents: 5, grant_records: 100, overage_cap: 1000 };

  it('lists each change of terms, token, adjustment and expiry, and the price, grant and cap of each period', async () => {
    const ledger = MadeLedger.opened();
    ledger.terms({ is_metered: false, overage_cap: null, ends_at: noon + 1e9 });
    ledger.add('adjustment', { credits: -9, reason: 'by mail', actor: 'operator' });
    ledger.nextPeriod(90, { grant_records: 90, is_metered: false, overage_unit_cents: 4 });
    const lines = describeReport(await check(ledger.file));
    expect(lines).toEqual([
      '8 entries are right.',
      expect.stringMatching(/^Balance /),
      '  Nobody is billed for its overage.',
      '  Period from 2026-01-01T12:00:00.000Z: 100 included records, 0 overage records (5 cents each, cap none), 0 cents.',
      '  Period from 2026-02-01T12:00:00.000Z: 90 included records, 0 overage records (4 cents each, cap 1000), 0 cents.',
      expect.stringMatching(/^ {2}Entry 3, .*: the token 10000000-\S+ was issued$/),
      expect.stringMatching(
        /^ {2}Entry 4, .*: overage_cap was 1000, is null; is_metered was true, is false; ends_at was null, is 2026-01-01T12:16:40/,
      ),
      expect.stringMatching(/^ {2}Entry 5, .*: an operator \(operator\) adds -9 included records: by mail$/),
      expect.stringMatching(/^ {2}Entry 6, .*: 91 included records of the period expire$/),
      expect.stringMatching(
        /^ {2}Entry 8, .*: grant_records was 100, is 90; overage_unit_cents was 5, is 4; overage_cap was null, is 1000; period_end was/,
      ),
    ]);
  });

  it.each([
    ['another price', { overage_unit_cents: 50 }, 'sets overage_unit_cents to 50, and 5 was agreed'],
    ['a lifted cap', { overage_cap: null }, 'sets overage_cap to null, and 1000 was agreed'],
    ['a higher cap', { overage_cap: 1001 }, 'sets overage_cap to 1001, and 1000 was agreed'],
    ['a lower cap', { overage_cap: 0 }, null],
    ['a trial', { plan: 'trial', overage_unit_cents: null }, null],
  ])('compares the ledger with what was agreed: %s', async (_, terms, difference) => {
    const ledger = MadeLedger.opened();
    ledger.terms(terms);
    expect((await check(ledger.file)).difference).toBeNull();
    expect((await check(ledger.file, { agreed })).difference).toEqual(
      difference && expect.stringContaining(`Entry 4 (${ledger.last!.id}) ${difference}`),
    );
  });

  it('names a ledger that includes fewer records than were agreed', async () => {
    const { difference } = await check(MadeLedger.opened().file, { agreed: { ...agreed, grant_records: 4000 } });
    expect(difference).toMatch(/^Entry 2 .* sets grant_records to 100, and 4000 was agreed\.$/);
  });

  it('gives no verdict on receipts when it stopped at a difference', async () => {
    expect((await check(wrongFiles[0]!.file, { receipts: 'ab'.repeat(32) })).receipts).toBeNull();
  });

  it('rejects an empty file and broken UTF-8', async () => {
    expect((await check('')).difference).toBe('The file has no entries.');
    const broken = Buffer.concat([Buffer.from(madeRun().file), Buffer.from([0xff])]);
    expect((await verifyLedger([broken], { sha256 })).difference).toMatch(/^The file cannot be read/);
  });

  it('reads several balances in one file', async () => {
    const report = await check(MadeLedger.opened(1).file + MadeLedger.opened(2).file);
    expect(report).toMatchObject({ difference: null, entries: 6, balances: [{ entries: 3 }, { entries: 3 }] });
  });

  it('reports its progress', async () => {
    const seen: number[] = [];
    const { file } = madeRun();
    await check(file, { onProgress: (_, bytes) => seen.push(bytes) });
    expect(seen.at(-1)).toBe(Buffer.from(file).length);
  });
});

describe('receipts', () => {
  const receiptOf = ({ hash, request_id }: LedgerLine) => `${hash} ${request_id}`;

  it('are found, and charged reads without one are named; that of a replay counts for its read', async () => {
    const ledger = MadeLedger.opened();
    const [kept, replayed, undelivered, lost, empty] = [ledger.read(1), ledger.read(2), ledger.read(3), ledger.read(4), ledger.read(0)];
    const replay = ledger.replay(replayed);
    ledger.reverse(undelivered);
    const list = `x-request-id: ${kept.request_id} ledger-hash: ${kept.hash.toUpperCase()}\r\n# a comment\n${replay.hash}\n${empty.hash}`;
    const report = await check(ledger.file, { receipts: list });
    expect(report).toMatchObject({ difference: null, receipts: { given: 3, found: 3, withoutEntry: [], chargedWithoutReceiptCount: 1 } });
    expect(report.receipts!.chargedWithoutReceipt).toEqual([{ balanceId: lost.balance_id, sequence: 7, id: lost.id, records: 4 }]);
    expect(describeReport(report)).toContain(`  No receipt: entry 7 (${lost.id}), 4 records`);
  });

  /** Cuts entries, and makes the rest follow one another as if they had never been. */
  const cut = (ledger: MadeLedger, from: number, count: number): string => {
    ledger.lines.splice(from, count);
    const kept = ledger.lines.map((line) => ({ ...line }));
    ledger.restart();
    for (const { sequence: _, id: __, balance_after: ___, overage_after: ____, previous_hash: _____, hash: ______, ...fields } of kept) {
      ledger.add(fields.kind, fields);
    }
    return ledger.file;
  };

  it.each([
    ['from the middle', 4, 1],
    ['from the end', 5, 1],
  ])('notice entries that were cut %s, though all others were renumbered and hashed anew', async (_, from, count) => {
    const ledger = MadeLedger.opened();
    const receipts = [ledger.read(1), ledger.read(2), ledger.read(3)].map(receiptOf).join('\n');
    const file = cut(ledger, from, count);
    expect((await check(file)).difference).toBeNull();
    const { difference, receipts: found } = await check(file, { receipts });
    expect(difference).toMatch(/^No entry has the hash of the receipt [0-9a-f]{64} of request .*: the ledger was rewritten/);
    expect(found!.withoutEntry).toHaveLength(from === 4 ? 2 : 1);
  });

  it('name the entry of their request that was rewritten', async () => {
    const ledger = MadeLedger.opened();
    const read = ledger.read(1);
    const receipts = receiptOf(read);
    Object.assign(read, { at: read.at + 1 });
    expect((await check(ledger.rehash().file, { receipts })).difference).toContain(
      `Entry 4 (${read.id}) is of that request, but has the hash ${read.hash}.`,
    );
  });

  it('of another request are named', async () => {
    const ledger = MadeLedger.opened();
    const receipts = `${ledger.read(1).hash} ${idAt(1, 1)}`;
    expect((await check(ledger.file, { receipts })).difference).toMatch(/Entry 4 .* but its receipt of request 00000000/);
  });

  withPython.test('are judged in the same way by the verifier in Python', async () => {
    const ledger = madeRun();
    const receipts = [...ledger.lines.slice(0, 10).map(({ hash }) => hash), 'ab'.repeat(32)].join('\n');
    const ours = (await check(ledger.file, { receipts })).receipts!;
    const [theirs] = checkInPython([ledger.file], { receipts });
    expect(theirs!.receipts).toEqual({
      withoutEntry: ours.withoutEntry,
      chargedWithoutReceipt: ours.chargedWithoutReceipt.map(({ id }) => id),
    });
    expect(ours.chargedWithoutReceiptCount).toBe(1);
  });
});

describe('proofs', () => {
  const name = 'parcels.example/log';
  const key = new CheckpointKey('a secret of the tests, long enough');
  const vkey = key.vkeyOf(name);

  /** The proof of a leaf among others; that its hashes are those of RFC 6962: test/proofs/tree.test.ts. */
  function proofOf(leaf: string): string {
    const leaves = Array.from({ length: 12 }, (_, i) => hashLeaf(i === 6 ? leaf : `leaf ${i}`));
    const hashes = inclusionRanges(6, { start: 0, end: 12 }).map(({ start, end }) => rootOf(leaves.slice(start, end)));
    const note = signCheckpoint({ origin: name, size: 12, root: rootOf(leaves), time: 1_764_000_000_000_000 }, [key]);
    return proofFile(leaf, 6, hashes, note);
  }
  const ledger = madeRun();
  const balanceName = ledger.lines[0]!.hash.slice(0, 32);
  const proof = proofOf(`balance ${balanceName} 9 ${ledger.lines[8]!.hash}`);
  const judge = (file: string, ...proofs: string[]) => check(file, { vkey, verifySignature: verifyEd25519, proofs });

  it('bind a ledger to a signed checkpoint', async () => {
    expect(await judge(ledger.file, proof)).toMatchObject({
      difference: null,
      proved: [`The first 9 entries of balance ${ledger.last!.balance_id} are as in the checkpoint signed by ${name}.`],
    });
    expect((await check(ledger.file, { proofs: [proof] })).proved[0]).toContain('its signature was not checked');
  });

  it('notice a ledger that was rewritten, or cut', async () => {
    const other = madeRun();
    Object.assign(other.lines[5]!, { at: other.lines[5]!.at + 1 });
    expect((await judge(other.rehash().file, proof)).difference).toMatch(/^Entry 9 .* but the log proves /);
    expect((await judge(fileOfLines(ledger.lines.slice(0, 8)), proof)).difference).toMatch(/^The log proves 9 entries/);
  });

  it('of a record show its text in its release, and without a ledger file, too', async () => {
    const texts = ['{"apn":"1"}', '{"apn":"2"}', '{"apn":"3"}'];
    const root = rootOf(texts.map(hashLeaf)).toString('hex');
    const release = proofOf(`release 7 25017 3 ${root} ${'cd'.repeat(32)}`);
    const recordProof = (text: string, inner = release) => proofFile(text, 2, [rootOf(texts.slice(0, 2).map(hashLeaf))], inner);
    const options = { vkey, verifySignature: verifyEd25519 };
    const told = `Record 3 of release 7 of county 25017 is as in the checkpoint signed by ${name}: {"apn":"3"}`;
    expect(await judge(ledger.file, recordProof('{"apn":"3"}'))).toMatchObject({ difference: null, proved: [told] });
    const report = await verifyLedger(null, { sha256, ...options, proofs: [recordProof('{"apn":"3"}'), release, proof] });
    expect(describeReport(report)).toEqual([
      told,
      expect.stringContaining('Release 7'),
      expect.stringContaining('A balance has 9 entries'),
    ]);
    for (const wrong of [recordProof('{"apn":"4"}'), recordProof('{"apn":"3"}', proof), proofOf('time 1')])
      expect((await judge(ledger.file, wrong)).difference).toMatch(/does not lead to the root|has none of its release|of no balance/);
  });

  it('of an invoice are its line with the number and hash of an entry', async () => {
    const lineOf = (entry: number, hash = ledger.lines[entry - 1]!.hash) => `Ledger: ${entry} ${hash}`;
    const judged = await check(ledger.file, { receipts: lineOf(9) });
    expect(judged).toMatchObject({ difference: null, receipts: null });
    expect(judged.proved).toEqual([`Entry 9 of balance ${ledger.last!.balance_id} has the hash that the invoice names.`]);
    expect((await check(ledger.file, { receipts: lineOf(8, ledger.lines[8]!.hash) })).difference).toContain('The invoice names the hash');
    expect((await check(ledger.file, { receipts: `${lineOf(9)}\n${ledger.lines[3]!.hash}` })).receipts).toMatchObject({ given: 1 });
  });

  it('are refused with any character changed', async () => {
    for (let i = 0; i < proof.length; i++) {
      const changed = proof.slice(0, i) + (proof[i] === 'A' ? 'B' : 'A') + proof.slice(i + 1);
      expect([i, (await judge(ledger.file, changed)).difference]).toEqual([i, expect.any(String)]);
    }
  });

  it('are refused when another key signed them', async () => {
    const options = { vkey, proofs: [proof], verifySignature: () => false };
    expect((await check(ledger.file, options)).difference).toContain('does not fit the key');
    expect((await check(ledger.file, { ...options, vkey: vkey.replace(name, 'other') })).difference).toContain('does not have the id');
  });

  withPython.test('are judged in the same way by the verifier in Python', () => {
    const flipped = proof.replace(/— (\S+) (.{20})./, (_, who, start) => `— ${who} ${start}*`).replace('*', 'x');
    const elsewhere = proofOf(`balance ${balanceName} 9 ${'ab'.repeat(32)}`);
    const verdicts = [proof, flipped, elsewhere].map((one) => checkInPython([ledger.file], { vkey, proofs: [one] })[0]!.difference);
    expect(verdicts).toEqual([null, expect.stringContaining('signed'), expect.stringContaining('another ledger')]);
  });
});
