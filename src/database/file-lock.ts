import { open, readFile, unlink } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 100;

/** Runs `work` while no other process of this machine holds the lock file; a holder that died no longer holds it. */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const file = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return null;
      throw error;
    });
    if (file) {
      await file.writeFile(String(process.pid));
      await file.close();
      break;
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    if (holder && !isAlive(holder)) await unlink(path).catch(() => {});
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
