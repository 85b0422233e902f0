/** The names of all tasks. Each room adds its own to the library's `GraphileWorker.Tasks`, with the payload of their jobs. */
export type TaskName = keyof GraphileWorker.Tasks;

/** A kind of job. A job may run more than once, because a server can end between doing the work and recording it. */
export interface Task<Name extends TaskName = TaskName> {
  name: Name;
  /** A job that takes longer has failed and is retried. */
  timeLimitSeconds: number;
  /** Whether it reaches people or Stripe. Its jobs wait while the database looks like a copy. */
  isOutbound?: boolean;
  run(payload: GraphileWorker.Tasks[Name], job: RunningJob): Promise<void>;
}

export interface RunningJob {
  id: string;
  /** Aborted at the time limit or when the server stops. A task that has not ended three seconds later is abandoned. */
  signal: AbortSignal;
}
