import { randomUUID } from 'node:crypto';
import { open, readFile, unlink } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 100;
/** Numbers of processes come again, in a container at every start; this tells us from who had ours before. */
const ourselves = `${process.pid} ${randomUUID()}`;

/** Runs `work` while no other process of this machine holds the lock file; a holder that died no longer holds it. */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const file = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return null;
      throw error;
    });
    if (file) {
      await file.writeFile(ourselves);
      await file.close();
      break;
    }
    const holder = await readFile(path, 'utf8').catch(() => '');
    const pid = Number(holder.split(' ')[0]);
    const isStale = pid === process.pid ? holder !== ourselves : pid && !isAlive(pid);
    if (isStale) await unlink(path).catch(() => {});
    else await pause(pollMs);
  }
  try {
    return await work();
  } finally {
    await unlink(path).catch(() => {});
  }
}

/** Whether a process of this number exists, also one of another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
