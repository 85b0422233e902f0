import { ask } from '../../database/long-reads.js';
import type { BooksCheck } from '../../ledger/books-check.js';
import type { ProvenLog } from './log-tree-check.js';

/** Compares every logged release with its leaf. That its records have those hashes: `release-checks.ts`. */
export const loggedReleasesCheck = (proven: () => ProvenLog | null): BooksCheck => ({
  invariants: ['every release that was logged is there with its hashes, unless it was time to drop it'],
  async *run(db) {
    const leaves = (proven()?.releases ?? []).filter((text) => /^release \d{1,9} /.test(text));
    const [row] = await ask<{ broken: string | null }>(db, firstWrongRelease, [leaves]);
    yield { checked: leaves.length, firstBreak: row!.broken, share: 1 };
  },
});

// The retention time of `pruneReleases`, or less by an operator's command, which is recorded.
const firstWrongRelease = `
  select min(case
           when r.id is null then format('release %s is gone: “%s” was logged', l.id, l.leaf)
           when r.state = 'pruned' then case when p.may_be_pruned is not true then format('release %s is marked as pruned, and must still be kept', r.id) end
           when r.state <> 'published' then format('release %s is marked as %s', r.id, r.state)
           when l.leaf <> concat_ws(' ', 'release', r.id, r.county_fips, r.loaded_count, encode(h.root, 'hex'), encode(h.attributes_sha256, 'hex'))
             then format('release %s of county %s has other hashes: “%s” was logged', r.id, r.county_fips, l.leaf)
         end) as broken
    from (select leaf, split_part(leaf, ' ', 2)::integer as id from unnest($1::text[]) leaf) l
    left join parcel_release r on r.id = l.id
    left join release_root h on h.release_id = r.id
   cross join lateral (
     select r.superseded_at >= r.published_at
            and not exists (select from county c where c.current_release_id = r.id)
            and exists (select from county c where c.fips = r.county_fips and (c.current_release_id is not null or c.status <> 'loaded'))
            and (r.superseded_at <= service_now() - interval '7 days'
                 or exists (select from admin_action a where a.action = 'prune release' and a.after ->> 'pruned' = r.id::text)) as may_be_pruned
   ) p`;
