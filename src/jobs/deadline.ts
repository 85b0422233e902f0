import { setTimeout as sleep } from 'node:timers/promises';

/** The result of the work. If it has not ended `graceMs` after the signal was aborted, the signal's reason is thrown instead. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  const ended = new AbortController();
  let cut: NodeJS.Timeout | undefined;
  const aborted = new Promise<never>((_, reject) => {
    const giveUp = () => {
      cut = setTimeout(() => reject(signal.reason), graceMs);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true, signal: ended.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    ended.abort();
    clearTimeout(cut);
  }
}

/** Waits for the work, but no longer than this. */
export async function endsWithin(ms: number, work: Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  await Promise.race([work.catch(() => undefined), sleep(ms, undefined, { signal: ended.signal }).catch(() => undefined)]);
  ended.abort();
}
