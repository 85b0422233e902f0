import type { ClientBase } from 'pg';
import { ask } from '../../database/long-reads.js';
import { type BooksCheck, checkOfAll } from '../../ledger/books-check.js';
import { LogStore } from '../../proofs/log/log.store.js';
import { micros, sequenceOf } from '../entries/entry-rules.js';
import { beginSlice } from '../entries/entry-slice.js';
import { logTreeCheck, type OutsideCheckpoint, type ProvenLog } from './log-tree-check.js';

/** Checks the books against a checkpoint that nobody could change who could change the database. */
export function checkpointChecks(outside: OutsideCheckpoint): BooksCheck[] {
  let log: ProvenLog | null = null;
  const proven = () => log;
  const tree = logTreeCheck(outside, (found) => {
    log = found;
  });
  return [tree, loggedEntriesCheck(proven), takenBackCheck(proven), loggedReleasesCheck(proven)];
}

const leavesAtOnce = 20_480;

/** Compares each leaf of a balance with its entry. That the entries before it are those that it covers is checked by `entries/`. */
const loggedEntriesCheck = (proven: () => ProvenLog | null): BooksCheck => ({
  invariants: ['every entry that was logged is there, with the hash that was logged'],
  isInSlices: true,
  async *run(db) {
    const { originId, size } = proven() ?? { originId: 0, size: 0 };
    const balances = await balancesByName(db);
    for (let start = 0; start < size; start += leavesAtOnce) {
      const leaves = (await new LogStore(db).leaves(originId, { start, end: Math.min(size, start + leavesAtOnce) }))
        // A leaf that the tree does not vouch for may say anything.
        .flatMap((text) => [/^balance ([0-9a-f]{32}) (\d{1,9}) ([0-9a-f]{64})$/.exec(text) ?? []])
        .filter(([leaf]) => leaf);
      const lost = leaves.find(([, name]) => !balances.has(name!));
      const known = leaves.filter(([, name]) => balances.has(name!));
      await db.query(beginSlice);
      const [row] = await ask<{ broken: string | null }>(db, firstWrongEntry, [
        known.map(([, name]) => balances.get(name!)),
        known.map(([, , sequence]) => sequence),
        known.map(([, , , head]) => head),
      ]);
      await db.query('commit');
      const firstBreak =
        row!.broken ?? (lost ? `${lost[2]} entries were logged of a balance that is gone, or has another first entry` : null);
      yield { checked: leaves.length, firstBreak, share: Math.min(1, (start + leavesAtOnce) / size) };
    }
  },
});

/** The ids of balances by their names in the log. */
async function balancesByName(db: ClientBase): Promise<Map<string, string>> {
  const rows = await ask<{ id: string; name: string }>(
    db,
    `select b.id, left(encode(e.hash, 'hex'), 32) as name from credit_balance b join ledger_entry e on e.balance_id = b.id and e.sequence = 1`,
  );
  return new Map(rows.map(({ id, name }) => [name, id]));
}

const firstWrongEntry = `
  select min(case when e.id is not null then format('entry %s of balance %s (%s) is not the one that was logged', l.sequence, l.balance_id, e.id)
                  else format('balance %s ends with entry %s: %s were logged', l.balance_id,
                              (select max(b.sequence) from ledger_entry b where b.balance_id = l.balance_id), l.sequence) end) as broken
    from unnest($1::uuid[], $2::integer[], $3::text[]) l (balance_id, sequence, head)
    left join ledger_entry e on e.balance_id = l.balance_id and e.sequence = l.sequence
   where e.hash is distinct from decode(l.head, 'hex')`;

/**
 * Any server that runs sweeps within a minute (else `no read waits` says so), and a checkpoint is signed by one that runs. No server reverses a
 * read later than three minutes after it (taken_back_within).
 */
const takenBackCheck = (proven: () => ProvenLog | null): BooksCheck =>
  checkOfAll(
    'no read was taken back after a checkpoint that was signed three minutes after it',
    `select count(*)::integer as checked,
            min(format('entry %s of balance %s was taken back by %s, %s after it', e.id, e.balance_id, r.id, r.at - e.at)) filter (where
              ($1::bigint[])[width_bucket(${micros('e.at')} + 180000000, $1::bigint[]) + 1] < ${micros('r.at')} - 60000000) as first_break
       from ledger_entry r join ledger_entry e on e.balance_id = r.balance_id and e.id = r.reverses and e.sequence = ${sequenceOf('r.reverses')}
      where r.kind = 'reversal'`,
    () => [proven()?.signedAt ?? []],
  );

/** Compares every logged release with its leaf. That its records have those hashes: `release-checks.ts`. */
const loggedReleasesCheck = (proven: () => ProvenLog | null): BooksCheck =>
  checkOfAll(
    'every release that was logged is there with its hashes, unless it was time to drop it',
    // The retention time of `pruneReleases`, or less by an operator's command, which is recorded.
    `select count(*)::integer as checked, min(case
           when r.id is null then format('release %s is gone: “%s” was logged', l.id, l.leaf)
           when r.state = 'pruned' then case when p.may_be_pruned is not true then format('release %s is marked as pruned, and must still be kept', r.id) end
           when r.state <> 'published' then format('release %s is marked as %s', r.id, r.state)
           when l.leaf <> concat_ws(' ', 'release', r.id, r.county_fips, r.loaded_count, encode(h.root, 'hex'), encode(h.attributes_sha256, 'hex'))
             then format('release %s of county %s has other hashes: “%s” was logged', r.id, r.county_fips, l.leaf)
         end) as first_break
    from (select leaf, split_part(leaf, ' ', 2)::integer as id from unnest($1::text[]) leaf where leaf ~ '^release \\d{1,9} ') l
    left join parcel_release r on r.id = l.id
    left join release_root h on h.release_id = r.id
   cross join lateral (
     select r.superseded_at >= r.published_at
            and not exists (select from county c where c.current_release_id = r.id)
            and exists (select from county c where c.fips = r.county_fips and (c.current_release_id is not null or c.status <> 'loaded'))
            and (r.superseded_at <= service_now() - interval '7 days'
                 or exists (select from admin_action a where a.action = 'prune release' and a.after ->> 'pruned' = r.id::text)) as may_be_pruned
   ) p`,
    () => [proven()?.releases ?? []],
  );
