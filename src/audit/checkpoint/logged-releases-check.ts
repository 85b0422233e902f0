import type { ClientBase } from 'pg';
import { ask, beginSnapshot } from '../../database/long-reads.js';
import type { AuditStep, BooksCheck } from '../../ledger/books-check.js';
import { hashRelease, releaseLeaf } from '../../proofs/log/release-root.js';
import type { ProvenLog } from './log-tree-check.js';

interface ReleaseRow {
  fips: string;
  records: number;
  state: string;
  mayBePruned: boolean;
}

/** Computes the root of every logged release from its records, and compares it with its leaf. */
export const loggedReleasesCheck = (proven: () => ProvenLog | null): BooksCheck => ({
  invariants: ['every release that was logged is there with its records and attributes, unless it was time to drop them'],
  isInSlices: true,
  async *run(db) {
    const leaves = (proven()?.releases ?? []).filter((text) => /^release \d{1,9} /.test(text));
    for (const [n, text] of leaves.entries()) {
      // Each release has its own snapshot: a release that is pruned meanwhile is complete in it, or absent.
      await db.query(beginSnapshot);
      const firstBreak = await faultOf(db, text);
      await db.query('commit');
      yield { checked: 1, firstBreak, share: (n + 1) / leaves.length } satisfies AuditStep;
    }
  },
});

async function faultOf(db: ClientBase, leaf: string): Promise<string | null> {
  const [, number, fips, records, root] = leaf.split(' ');
  const id = Number(number);
  const [release] = await ask<ReleaseRow>(db, releaseSql, [id]);
  if (!release) return `release ${id} of county ${fips} is gone`;
  if (release.fips !== fips || String(release.records) !== records) {
    return `release ${id} has ${release.records} records of county ${release.fips}, and was logged with ${records} of county ${fips}`;
  }
  if (release.state === 'pruned') {
    return release.mayBePruned ? null : `release ${id} is marked as pruned, and must still be kept`;
  }
  if (release.state !== 'published') return `release ${id} is marked as ${release.state}`;
  const hashed = await hashRelease(db, id, () => {});
  if (hashed.root.toString('hex') !== root) return `the records of release ${id} are not those that were logged`;
  return releaseLeaf(id, fips!, hashed) === leaf ? null : `the attributes of release ${id} are not those that were logged`;
}

// The retention time of `pruneReleases`, or less by an operator's command, which is recorded.
const releaseSql = `
  select r.county_fips as fips, r.loaded_count as records, r.state,
         coalesce(
           r.superseded_at >= r.published_at
             and not exists (select from county c where c.current_release_id = r.id)
             and (c.current_release_id is not null or c.status <> 'loaded')
             and (r.superseded_at <= service_now() - interval '7 days'
                  or exists (select from admin_action a where a.action = 'prune release' and a.after ->> 'pruned' = r.id::text)),
           false) as "mayBePruned"
    from parcel_release r join county c on c.fips = r.county_fips
   where r.id = $1`;
