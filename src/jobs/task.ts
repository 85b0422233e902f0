/** The tasks that there are. Each room adds its own, with what its jobs carry, to the library's `GraphileWorker.Tasks`. */
export type TaskName = keyof GraphileWorker.Tasks;

/** A kind of work that is kept in the database until it is done. It may be done more than once: a server can die after it. */
export interface Task<Name extends TaskName = TaskName> {
  name: Name;
  /** Beyond this it counts as failed, and is tried again. */
  timeLimitSeconds: number;
  run(payload: GraphileWorker.Tasks[Name], job: RunningJob): Promise<void>;
}

export interface RunningJob {
  id: string;
  /** Aborted when the time is up or the server stops. What goes on a few seconds after that is given up. */
  signal: AbortSignal;
}
