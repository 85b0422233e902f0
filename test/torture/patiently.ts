import pRetry from 'p-retry';

/** Does what the database may refuse for a moment because it was just killed; what fails for another reason fails at last. */
export const patiently = <T>(work: () => Promise<T>): Promise<T> =>
  pRetry(work, { retries: Number.POSITIVE_INFINITY, factor: 1, minTimeout: 100, maxRetryTime: 60_000 });
