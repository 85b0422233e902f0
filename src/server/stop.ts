// How long a stop may take after the drain notice. If the database hangs, requests and jobs do not end by themselves.
export const stopMs = 9_000;

/** Stops this process gracefully. */
export type Stop = (why: object, exitCode: number) => Promise<void>;
