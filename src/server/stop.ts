// How long stopping may take after the notice. While the database hangs, requests and jobs do not end by themselves.
export const stopMs = 9_000;

/** Ends this process in good order. */
export type Stop = (why: object, exitCode: number) => Promise<void>;
