import { setTimeout as pause } from 'node:timers/promises';
import { lock } from 'proper-lockfile';

// The holder renews the lock every two seconds. After ten seconds without that another process may take it, since the holder has ended.
const staleMs = 10_000;
const updateMs = 2_000;
const pollMs = 100;
const maxWaitMs = 120_000;

/**
 * Runs `work` while no other process of this machine holds the lock at `path`.
 * @throws Error that names the lock, when another process holds it for two minutes; the system's own at once, where it cannot be made
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const release = await take(path);
  try {
    return await work();
  } finally {
    await release().catch(() => {});
  }
}

// The library's own retries would also try again what no time mends, such as a folder that is not ours to write to.
async function take(path: string): Promise<() => Promise<void>> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    try {
      return await lock(path, {
        lockfilePath: path,
        realpath: false,
        stale: staleMs,
        update: updateMs,
        // Called when another process took the lock because this one was suspended. The work cannot be undone, so it goes on.
        onCompromised: () => {},
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw error;
      if (waitedMs >= maxWaitMs) throw new Error(`another process holds the lock ${path}`, { cause: error });
    }
    await pause(pollMs);
  }
}
