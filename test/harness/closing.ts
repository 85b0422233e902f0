interface Opened {
  close: () => unknown;
  /** Made where it was opened, so that its stack says what does not close. */
  tooLate: Error;
}

const opened: Opened[] = [];
const afterTests: (() => Promise<void>)[] = [];
const patienceMs = 60_000;

/**
 * Closes something when the test file has ended, what was opened last first, however far the set-up or a test came: what is left
 * open would keep the runner from ending.
 * @returns closes it earlier; may be called again
 */
export function closeAtEnd(close: () => unknown): () => Promise<void> {
  const entry = { close, tooLate: new Error(`what was opened here is still closing after ${patienceMs / 1000} s`) };
  opened.push(entry);
  return async () => {
    const place = opened.indexOf(entry);
    if (place < 0) return;
    opened.splice(place, 1);
    await close();
  };
}

/** Has this done after each test of each file. */
export const afterEachTest = (tidy: () => Promise<void>): unknown => afterTests.push(tidy);

/** Jest calls it for each test file; a module's own hooks would be those of the file that imported it first. */
export default function addHooks(): void {
  afterEach(async () => {
    for (const tidy of afterTests) await tidy();
  });
  afterAll(closeAll, 10 * patienceMs);
}

export async function closeAll(): Promise<void> {
  const faults: unknown[] = [];
  while (opened.length > 0) await closeInTime(opened.pop()!).catch((fault) => faults.push(fault));
  if (faults.length > 0) throw new AggregateError(faults, 'not closed in good order');
}

/** A failed test may hold a connection that its pool waits for in vain; the database, which is dropped after that, ends it. */
async function closeInTime({ close, tooLate }: Opened): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((_, reject) => {
    timer = setTimeout(() => reject(tooLate), patienceMs);
  });
  await Promise.race([(async () => close())(), patience]).finally(() => clearTimeout(timer));
}
