import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lock } from 'proper-lockfile';
import { AppError } from '../../core/errors.js';
import { count, megabytes } from '../../core/format-numbers.js';
import { type CountySource, type FetchedSource, type FetchOptions, fetchSource } from './fetching/county-source.js';

/** Fetched data of a county. */
interface FetchedCounty extends FetchedSource {
  /** When it was fetched. */
  at: string;
}

export interface FetchRequest extends FetchOptions {
  dataDir: string;
  /** The time of the fetch, by the database's clock. */
  now: string;
  /** Whether the data stays after the work, for the next one. */
  isKept?: boolean;
  /** Called if something of an earlier fetch is there: all of it, fetched at that time, or the beginning. */
  onReuse?(fetchedAt: string | null): void;
}

const folderOf = (dataDir: string): string => join(dataDir, 'fetched');
const completeFile = 'complete.json';
const reusedMs = 60 * 60 * 1000;
const keptMs = 24 * 60 * 60 * 1000;
const staleMs = 10_000;

/**
 * Fetches a county's data into DATA_DIR, does the work with it, and deletes it. If the fetch or the work fails, the data stays for a day: a
 * stopped fetch resumes, and the next load within an hour does not fetch the same again.
 * @throws AppError conflict while another process fetches or loads the same; what `fetchSource` throws
 */
export async function withFetched<Result>(
  county: string,
  { url, protocol }: CountySource,
  { dataDir, now, isKept = false, onReuse, ...options }: FetchRequest,
  work: (fetched: FetchedCounty) => Promise<Result>,
): Promise<Result> {
  const id = createHash('sha256').update(`${protocol} ${url}`).digest('hex').slice(0, 12);
  const folder = join(folderOf(dataDir), `${county}-${id}`);
  await mkdir(folder, { recursive: true });
  const release = await take(folder);
  try {
    const kept = await readComplete(folder);
    if (kept || (await readdir(folder)).length > 0) onReuse?.(kept?.at ?? null);
    const fetched = kept ?? { ...(await fetchSource({ url, protocol }, folder, options)), at: now };
    if (!kept) await writeFile(join(folder, completeFile), JSON.stringify(fetched));
    const result = await work(fetched);
    if (!isKept) await rm(folder, { recursive: true, force: true });
    return result;
  } finally {
    await release();
  }
}

/** Beside the folder, which the work may delete. */
async function take(folder: string): Promise<() => Promise<void>> {
  try {
    return await lock(folder, { lockfilePath: `${folder}.lock`, stale: staleMs, realpath: false, onCompromised: () => {} });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw error;
    throw new AppError('conflict', 'Another process is fetching or loading this source. Wait for it to end.', { cause: error });
  }
}

async function readComplete(folder: string): Promise<FetchedCounty | null> {
  const path = join(folder, completeFile);
  if ((await ageOf(path)) < reusedMs) return JSON.parse(await readFile(path, 'utf8'));
  await rm(path, { force: true });
  return null;
}

const ageOf = (path: string, ifMissing = Number.POSITIVE_INFINITY): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => ifMissing,
  );

/** Deletes fetched data to which nothing was added for a day. */
export async function pruneFetched(dataDir: string): Promise<void> {
  const all = folderOf(dataDir);
  for (const name of await readdir(all).catch(() => [])) {
    const paths = [join(all, name), ...(await readdir(join(all, name)).catch(() => [])).map((file) => join(all, name, file))];
    // What is gone meanwhile was in use.
    const ages = await Promise.all(paths.map((path) => ageOf(path, 0)));
    if (Math.min(...ages) > keptMs) await rm(join(all, name), { recursive: true, force: true });
  }
}

export type FetchProgress = Parameters<NonNullable<FetchOptions['onProgress']>>[0];

/** `1,200 of 27,661 records, 0.9 MB`: of a file, only its bytes are known. */
export function describeFetching({ records, total, bytes }: FetchProgress): string {
  const counted = total === null ? count(records) : `${count(records)} of ${count(total)}`;
  return `${records > 0 || total !== null ? `${counted} records, ` : ''}${megabytes(bytes)}`;
}
