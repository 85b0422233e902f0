import { digestBytes, readDigests } from '../../releases/record-fields/content-digest.js';
import { MissingRecords } from '../parcel.store.js';
import type { BoughtRun, Queries } from './bought.js';

const idsAtOnce = 40_000;

/**
 * Leaves out records of parcels that are also among those of a newer release. Keeps half of each id in memory while it compares the releases
 * of a county. Most counties have only one, because a release is deleted a week after it was replaced.
 * @param runs of a county the newest release first
 */
export async function withoutOlderReleases(db: Queries, runs: BoughtRun[]): Promise<BoughtRun[]> {
  const kept: BoughtRun[] = [];
  for (const ofCounty of groupsBy(runs, ({ countyFips }) => countyFips)) {
    const releases = groupsBy(ofCounty, ({ releaseId }) => releaseId);
    if (releases.length === 1) {
      kept.push(...ofCounty);
      continue;
    }
    const known = new Set<bigint>();
    for (const ofRelease of releases) {
      const own: bigint[] = [];
      for (const run of ofRelease) {
        for (let first = run.first; first < run.first + run.count; first += idsAtOnce) {
          const piece = { ...run, first, count: Math.min(idsAtOnce, run.first + run.count - first) };
          const ids = await idsOf(db, piece);
          kept.push(...runsOfUnknown(piece, ids, known));
          own.push(...ids);
        }
      }
      for (const id of own) known.add(id);
    }
  }
  return kept;
}

/** Neighbours with the same key, in their order. */
export function groupsBy<Item>(items: Item[], keyOf: (item: Item) => unknown): Item[][] {
  const groups: Item[][] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last && keyOf(last[0]!) === keyOf(item)) last.push(item);
    else groups.push([item]);
  }
  return groups;
}

function runsOfUnknown(run: BoughtRun, ids: bigint[], known: Set<bigint>): BoughtRun[] {
  const runs: BoughtRun[] = [];
  for (const [index, id] of ids.entries()) {
    if (known.has(id)) continue;
    const ordinal = run.first + index;
    const last = runs.at(-1);
    if (last && last.first + last.count === ordinal) last.count++;
    else runs.push({ ...run, first: ordinal, count: 1 });
  }
  return runs;
}

/** Half of the id of each record, as a number. */
async function idsOf(db: Queries, { releaseId, first, count }: BoughtRun): Promise<bigint[]> {
  const digests = await readDigests(db, releaseId, first, count);
  if (!digests) throw new MissingRecords(`release ${releaseId} has no digests`);
  return Array.from({ length: digests.length / digestBytes }, (_, index) => digests.readBigUInt64BE(index * digestBytes));
}
