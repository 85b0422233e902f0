import { setTimeout as sleep } from 'node:timers/promises';

/** Returns the result of the work. Throws the signal's reason if the work has not ended `graceMs` after the signal was aborted. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  const ended = new AbortController();
  let graceTimer: NodeJS.Timeout | undefined;
  const aborted = new Promise<never>((_, reject) => {
    const giveUp = () => {
      graceTimer = setTimeout(() => reject(signal.reason), graceMs);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true, signal: ended.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    ended.abort();
    clearTimeout(graceTimer);
  }
}

/** Waits for the work, at most this long. */
export async function endsWithin(ms: number, work: Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  await Promise.race([work.catch(() => undefined), sleep(ms, undefined, { signal: ended.signal }).catch(() => undefined)]);
  ended.abort();
}
