import { setTimeout as pause } from 'node:timers/promises';

const pauseMs = 100;

/**
 * Asks again after a 503, as clients do, where the service has its own limits: on a slow machine one of many requests waits longer for a
 * connection or a lock than 2 s. Such a refusal charges and changes nothing, so the counts of all other answers stay exact.
 */
export async function patiently<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
    await pause(pauseMs);
  }
}
