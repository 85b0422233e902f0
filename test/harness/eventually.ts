import { setTimeout as pause } from 'node:timers/promises';

// Nobody waits this long for what happens: it is for machines on which a server takes half a minute to start.
const patienceMs = 100_000;
// Without a pause the question would take the processor from what it waits for, which often runs in this same process.
const pollMs = 20;

/** Waits for what another connection or process is about to do; fails with the reason when it does not come. */
export async function eventually(what: string, happened: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await happened())) {
    if (Date.now() > deadline) throw new Error(`did not happen: ${what}`);
    await pause(pollMs);
  }
}
