import { lock } from 'proper-lockfile';

// The holder renews the lock every two seconds. After ten seconds without that another process may take it, since the holder has ended.
const staleMs = 10_000;
const updateMs = 2_000;
const pollMs = 100;
const maxWaitMs = 120_000;

/**
 * Runs `work` while no other process of this machine holds the lock at `path`.
 * @throws Error that names the lock, when another process holds it for two minutes
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const release = await lock(path, {
    lockfilePath: path,
    realpath: false,
    stale: staleMs,
    update: updateMs,
    retries: { retries: maxWaitMs / pollMs, minTimeout: pollMs, maxTimeout: pollMs },
    // Called when another process took the lock because this one was suspended. The work cannot be undone, so it goes on.
    onCompromised: () => {},
  }).catch((cause: Error) => {
    throw new Error(`another process holds the lock ${path}, or it cannot be made: ${cause.message}`, { cause });
  });
  try {
    return await work();
  } finally {
    await release().catch(() => {});
  }
}
