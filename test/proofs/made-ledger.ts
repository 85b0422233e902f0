import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/core/project-files.js';
import { hashEntry, hexOf, type LedgerLine } from '../../src/proofs/verifier/verify-ledger.js';
import { sha256 } from './both-verifiers.js';

export const noon = Date.UTC(2026, 0, 1, 12) * 1000;
const month = 31 * 24 * 3600 * 1e6;

/** The terms of a made ledger. */
export const madeTerms = {
  owner: 'customer',
  plan: 'paid',
  grant_records: 100,
  overage_unit_cents: 5,
  overage_cap: 1000,
  is_metered: true,
  is_closed: false,
  period_anchor: noon,
  period_end: noon + month,
  ends_at: null,
  renew_until: null,
};

/** Writes a ledger as the service does, for tests that need no database: or one that is wrong on purpose. */
export class MadeLedger {
  readonly lines: LedgerLine[] = [];
  private readonly balanceId: string;
  private readonly tokenId: string;
  private head = '0'.repeat(64);
  private periodStart = noon;

  constructor(number = 1) {
    this.balanceId = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    this.tokenId = `10000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  }

  /** A paid balance with its terms and a token. */
  static opened(number?: number): MadeLedger {
    const ledger = new MadeLedger(number);
    ledger.startPeriod(noon);
    ledger.terms();
    ledger.token('issued');
    return ledger;
  }

  get last(): LedgerLine | undefined {
    return this.lines.at(-1);
  }

  add(kind: string, fields: Partial<LedgerLine> = {}): LedgerLine {
    const sequence = (this.last?.sequence ?? 0) + 1;
    const at = fields.at ?? this.periodStart + sequence * 1001;
    const credits = fields.credits ?? 0;
    const overage = fields.overage_records ?? 0;
    const line: LedgerLine = {
      hash_version: 1,
      balance_id: this.balanceId,
      sequence,
      id: idAt(at, sequence),
      token_id: null,
      kind,
      at,
      records: 0,
      credits,
      overage_records: overage,
      overage_cents: overage * 5,
      balance_after: (this.last?.balance_after ?? 0) + credits,
      overage_after: kind === 'grant' ? 0 : (this.last?.overage_after ?? 0) + overage,
      period_start: this.periodStart,
      segments: [],
      county_fips: null,
      attempt: 0,
      reverses: null,
      repeats: null,
      request_hash: null,
      request_id: null,
      idempotency_key: null,
      reason: null,
      actor: null,
      previous_hash: this.head,
      hash: '',
      ...fields,
    };
    line.hash = hexOf(hashEntry(line, sha256));
    this.head = line.hash;
    this.lines.push(line);
    return line;
  }

  terms(changed: object = {}): void {
    this.add('terms', { reason: JSON.stringify({ ...madeTerms, period_end: this.periodStart + month, ...changed }) });
  }

  token(event: string): void {
    this.add('token', { token_id: this.tokenId, reason: JSON.stringify({ event, owner: madeTerms.owner, secret_sha256: '00', at: noon }) });
  }

  /** A read as `spend` charges it. */
  read(records: number, fields: Partial<LedgerLine> = {}): LedgerLine {
    const included = Math.min(records, this.last?.balance_after ?? 0);
    const requestId = `20000000-0000-7000-8000-${String(this.lines.length).padStart(12, '0')}`;
    return this.add('read', {
      token_id: this.tokenId,
      records,
      credits: -included,
      overage_records: records - included,
      segments: records > 0 ? [7, 1 + this.lines.length, records] : [],
      county_fips: '25017',
      request_id: requestId,
      ...fields,
    });
  }

  replay(read: LedgerLine, fields: Partial<LedgerLine> = {}): LedgerLine {
    const { token_id, records, segments, county_fips, idempotency_key } = read;
    const reason = idempotency_key === null ? 'shown in console' : null;
    return this.add('replay', { token_id, records, segments, county_fips, repeats: read.id, reason, ...fields });
  }

  /** Takes back a read of the present period. */
  reverse(read: LedgerLine, fields: Partial<LedgerLine> = {}): LedgerLine {
    const overage = Math.min(read.records, this.last!.overage_after);
    return this.add('reversal', {
      token_id: read.token_id,
      reverses: read.id,
      records: -read.records,
      credits: read.records - overage,
      overage_records: -overage,
      period_start: read.period_start,
      reason: 'not delivered',
      ...fields,
    });
  }

  /** @param terms what changes in them; null: no entry says */
  nextPeriod(granted = madeTerms.grant_records, terms: object | null = {}): void {
    if (this.last!.balance_after > 0) this.add('expiry', { credits: -this.last!.balance_after });
    this.startPeriod(this.periodStart + month, { credits: granted });
    if (terms) this.terms(terms);
  }

  /** Grants a period, and lets nothing expire before it. */
  startPeriod(start: number, fields: Partial<LedgerLine> = {}): void {
    this.periodStart = start;
    this.add('grant', { credits: madeTerms.grant_records, ...fields });
  }

  /** Forgets all entries. */
  restart(): void {
    this.lines.length = 0;
    this.head = '0'.repeat(64);
  }

  /** Hashes all entries anew, as somebody does who rewrites them. */
  rehash(): this {
    this.head = '0'.repeat(64);
    for (const line of this.lines) {
      line.previous_hash = this.head;
      this.head = line.hash = hexOf(hashEntry(line, sha256));
    }
    return this;
  }

  get file(): string {
    return fileOfLines(this.lines);
  }
}

export const fileOfLines = (lines: LedgerLine[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

export const linesIn = (file: string): LedgerLine[] =>
  file
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

export const documented = readFileSync(projectFile('schema/ledger.md'), 'utf8');
/** The ledger file that the format's page shows. */
export const vectors = /```ndjson\n([\s\S]*?)```/.exec(documented)![1]!;

/** A version 7 UUID of this time, with the sequence as its last 32 bits. */
export function idAt(micros: number, sequence: number): string {
  const millis = Math.floor(micros / 1000)
    .toString(16)
    .padStart(12, '0');
  return `${millis.slice(0, 8)}-${millis.slice(8)}-7abc-8def-0123${sequence.toString(16).padStart(8, '0')}`;
}
