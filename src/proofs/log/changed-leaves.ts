import type { ClientBase } from 'pg';
import { ask, rowsOf } from '../../database/long-reads.js';
import { BrokenLog } from './checkpoint.js';
import type { Leaf, LogOrigin, LogStore } from './log.store.js';
import { chunkSize, hashLeaf, levelsBetween, rootOf } from './tree.js';

const fetchedAtOnce = 10_000;

/** A balance as it is, and as the log has it. */
interface BalanceRow {
  id: string;
  entries: number | null;
  head: string | null;
  place: number | null;
  logged?: { name: string; entries: number; head: string };
}

/**
 * Holds all balances against their newest leaves in the tree, and yields the leaves of those that changed.
 * @param verified the size of the tree that was verified, and when it was signed, in microseconds; null: this is the first one
 * @throws BrokenLog if one is not what was logged, with what was appended to it
 */
export async function* changedBalances(
  db: ClientBase,
  log: LogStore,
  { id: originId }: LogOrigin,
  verified: { size: number; time: number | null },
): AsyncIterable<Leaf[]> {
  const leaves = new VerifiedLeaves(log, originId, verified.size);
  for await (const rows of rowsOf<BalanceRow>(db, balancesAndPlaces, [originId], fetchedAtOnce)) {
    const changed: BalanceRow[] = [];
    for (const row of rows) {
      if (row.place !== null) row.logged = await leaves.balanceAt(row.place);
      if (row.entries !== row.logged?.entries || row.head !== row.logged.head) changed.push(row);
    }
    if (changed.length > 0) yield await leavesOf(db, changed, verified.time);
  }
}

const balancesAndPlaces = `
  select coalesce(b.id, substr(p.subject, 9)::uuid) as id, b.entry_count as entries, encode(b.chain_head, 'hex') as head,
         p.leaf_index::float as place
    from credit_balance b
    full join (select subject, leaf_index from log_place where origin_id = $1 and subject like 'balance %') p on p.subject = 'balance ' || b.id
   where b.entry_count > 0 or p.leaf_index is not null
   order by p.leaf_index`;

/** Reads leaves in the order of their places, each from a bundle that has its hash in the tree. */
class VerifiedLeaves {
  private start = -1;
  private texts: string[] = [];

  constructor(
    private readonly log: LogStore,
    private readonly originId: number,
    private readonly size: number,
  ) {}

  async balanceAt(index: number): Promise<{ name: string; entries: number; head: string }> {
    const start = index - (index % chunkSize);
    if (start !== this.start) await this.read(start);
    const [kind, name, entries, head] = this.texts[index - start]?.split(' ') ?? [];
    if (kind !== 'balance') throw new BrokenLog(`leaf ${index} is of no balance, but one has its place there`);
    return { name: name!, entries: Number(entries), head: head! };
  }

  private async read(start: number): Promise<void> {
    const end = Math.min(start + chunkSize, this.size);
    this.start = start;
    this.texts = await this.log.leaves(this.originId, { start, end });
    // The last leaves gave the root of the tree, and so did the hashes of all full bundles.
    if (end % chunkSize !== 0) return;
    const [hash] = await this.log.hashes(this.originId, levelsBetween, { start: start / chunkSize, end: end / chunkSize });
    if (!rootOf(this.texts.map(hashLeaf)).equals(hash ?? Buffer.alloc(0)))
      throw new BrokenLog(`one of the leaves from ${start} on is not the one that was signed`);
  }
}

async function leavesOf(db: ClientBase, rows: BalanceRow[], signedAt: number | null): Promise<Leaf[]> {
  const found = await ask<{ id: string; entries: number; head: string; name: string; broken: string | null }>(
    db,
    `select c.id, c.entries, c.head, n.name,
            case
              when c.entries is null then format('balance %s is gone: %s entries of it were logged', c.id, c.logged)
              when c.entries < c.logged then format('balance %s has %s entries: %s were logged', c.id, c.entries, c.logged)
              when c.entries = c.logged then format('balance %s has another head at entry %s than was logged', c.id, c.logged)
              -- one row each by the primary key; a join would read the whole ledger
              when c.logged is not null and (n.name is distinct from c.logged_name or c.logged_head is distinct from (
                     select encode(e.hash, 'hex') from ledger_entry e where e.balance_id = c.id and e.sequence = c.logged))
                then format('entry %s of balance %s is not the one that was logged', c.logged, c.id)
              when c.logged is null and n.at < to_timestamp($7 / 1e6) - interval '1 hour'
                then format('balance %s is older than the newest checkpoint, and the log does not say where it has it', c.id)
              when c.head is distinct from (
                     select encode(e.hash, 'hex') from ledger_entry e where e.balance_id = c.id and e.sequence = c.entries)
                then format('entry %s of balance %s is not the one that the balance names as its last', c.entries, c.id)
            end as broken
       from unnest($1::uuid[], $2::integer[], $3::text[], $4::integer[], $5::text[], $6::text[]) c (id, entries, head, logged, logged_head, logged_name)
       left join lateral (
         select left(encode(e.hash, 'hex'), 32) as name, e.at from ledger_entry e where e.balance_id = c.id and e.sequence = 1
       ) n on true
      order by n.name`,
    [
      rows.map(({ id }) => id),
      rows.map(({ entries }) => entries),
      rows.map(({ head }) => head),
      rows.map(({ logged }) => logged?.entries ?? null),
      rows.map(({ logged }) => logged?.head ?? null),
      rows.map(({ logged }) => logged?.name ?? null),
      signedAt,
    ],
  );
  const broken = found.find((row) => row.broken !== null)?.broken;
  if (broken) throw new BrokenLog(broken);
  return found.map(({ id, entries, head, name }) => ({ text: `balance ${name} ${entries} ${head}`, subject: `balance ${id}` }));
}

/** The leaves of releases that this tree does not have yet. */
export const newReleases = (db: ClientBase, { id }: LogOrigin): Promise<Leaf[]> =>
  ask<Leaf>(
    db,
    `select concat('release ', release_id, ' ', p.county_fips, ' ', records, ' ', encode(root, 'hex'), ' ', encode(attributes_sha256, 'hex')) as text,
            concat('release ', release_id) as subject
       from release_root r join parcel_release p on p.id = r.release_id
      where not exists (select from log_place l where l.origin_id = $1 and l.subject = concat('release ', r.release_id))
      order by release_id`,
    [id],
  );
