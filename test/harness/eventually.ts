import { setImmediate as letOthersWork } from 'node:timers/promises';

const patienceMs = 15_000;

/** Waits for what another connection or process is about to do; fails with the reason when it does not come. */
export async function eventually(what: string, happened: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await happened())) {
    // A question that waits for nothing itself must still let the others work.
    await letOthersWork();
    if (Date.now() > deadline) throw new Error(`did not happen: ${what}`);
  }
}
