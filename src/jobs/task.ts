/** The names of all tasks. Each room adds its own, with the payload of its jobs, to the library's `GraphileWorker.Tasks`. */
export type TaskName = keyof GraphileWorker.Tasks;

/** A kind of job. A job may run more than once, since a server can end between doing the work and recording it. */
export interface Task<Name extends TaskName = TaskName> {
  name: Name;
  /** A job that takes longer counts as failed, and is tried again. */
  timeLimitSeconds: number;
  run(payload: GraphileWorker.Tasks[Name], job: RunningJob): Promise<void>;
}

export interface RunningJob {
  id: string;
  /** Aborted when the time is up or the server stops. A task that has not ended a few seconds later is abandoned. */
  signal: AbortSignal;
}
