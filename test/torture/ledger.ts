import type { RecordName } from './delivery.js';
import type { Owner } from './owner.js';

/** The ledger's entry of a read, as the comparison needs it. */
export interface Entry {
  id: string;
  balance_id: string;
  token_id: string | null;
  kind: string;
  records: number;
  segments: number[];
  county_fips: string | null;
  request_id: string | null;
  idempotency_key: string | null;
  reverses: string | null;
  repeats: string | null;
  /** Whether a key no longer repeats it (may_repeat). */
  is_key_over: boolean;
}

export class Ledger {
  private readonly byId: Map<string, Entry>;
  private readonly reversed: Set<string>;

  private constructor(readonly entries: Entry[]) {
    this.byId = new Map(entries.map((entry) => [entry.id, entry]));
    this.reversed = new Set(entries.flatMap((entry) => entry.reverses ?? []));
  }

  static async read(owner: Owner): Promise<Ledger> {
    return new Ledger(
      await owner.rows<Entry>(`
        select id, balance_id, token_id, kind, records, segments, county_fips, request_id, idempotency_key, reverses, repeats,
               at <= service_now() - interval '24 hours' as is_key_over
          from ledger_entry order by balance_id, sequence`),
    );
  }

  /** The read that paid for what this entry delivered: itself, or the one that it repeats. */
  paidBy(entryId: string): Entry | undefined {
    const entry = this.byId.get(entryId);
    return entry?.repeats ? this.byId.get(entry.repeats) : entry;
  }

  isReversed(entry: Entry): boolean {
    return this.reversed.has(entry.id);
  }

  /** The reads that stand: charged, and not taken back. */
  get charges(): Entry[] {
    return this.entries.filter((entry) => entry.kind === 'read' && entry.records > 0 && !this.isReversed(entry));
  }
}

export function recordsOf({ segments }: Entry): RecordName[] {
  const names: RecordName[] = [];
  for (let i = 0; i < segments.length; i += 3) {
    for (let ordinal = segments[i + 1]!; ordinal < segments[i + 1]! + segments[i + 2]!; ordinal++) names.push(`${segments[i]}.${ordinal}`);
  }
  return names;
}
