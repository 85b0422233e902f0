/** Somebody who reads records. */
export interface Contender {
  name: string;
  /** Reads so many records so many times (a multiple of `concurrency`), all readers together; gives the seconds it took. */
  read(limit: number, times: number): Promise<number>;
}

/** Readers at the same time: as many HTTP connections, or as many loops. */
export const concurrency = 32;

/** Runs the work this many times, `concurrency` at once; each is told which loop it is in. Gives the seconds it took. */
export async function inParallel(times: number, work: (loop: number) => Promise<unknown>): Promise<number> {
  let left = times;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async (_, loop) => {
      while (left-- > 0) await work(loop);
    }),
  );
  return (performance.now() - startedAt) / 1000;
}
