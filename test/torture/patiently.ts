import { setTimeout as pause } from 'node:timers/promises';

const patienceMs = 60_000;

/** Does what the database may refuse for a moment because it was just killed; what fails for another reason fails at last. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await pause(100);
    }
  }
}
