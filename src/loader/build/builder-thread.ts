import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../../core/errors.js';
import { projectFile } from '../../core/project-files.js';
import type { RawRows } from '../formats/raw-rows.js';
import type { OpenedFiles } from '../plan/plan-load.js';
import type { BuildPlan } from './build-plan.js';
import type { BuiltBatch } from './built-batch.js';
import { inputBytes, type Slot, writeInput } from './built-batch.js';

/** How many tasks may be in progress. */
export const slotCount = 8;

/** What the thread starts with. */
export interface ThreadMemory {
  slots: Slot[];
}

/** Sent before the first task. */
export interface Assignment {
  plan: BuildPlan;
}

/** Unparsed rows to build. */
export interface Task {
  /** Without the bytes of its pieces. */
  raw: RawRows;
  /** The slot that has the pieces, one after the other. */
  slot: number;
  lengths: number[];
  source: number;
}

/** The result of a task. The code of an `AppError` is sent separately, because cloning an error drops it. */
export type Answer = { built: BuiltBatch } | { error: Error; code: ErrorCode | null };

// Three times the 4 MB that `npm run cli` sets for the first thread, whatever the loading process sets for itself.
const maxYoungGenerationSizeMb = 12;

// Starting the thread takes a tenth of a second, so small files do without.
const largeBytes = 8 * 1024 * 1024;

// The compiled file, even in tests that run from source: a worker thread has only Node's own loader.
const script = projectFile('dist/src/loader/build/thread.js');

/**
 * A thread that builds the records of raw rows, one task at a time. All bytes pass through shared memory: transferring a new buffer
 * per task caused full collections, a second of CPU for 100,000 rows.
 */
export class BuilderThread {
  private readonly slots = Array.from({ length: slotCount }, (): Slot => new SharedArrayBuffer(inputBytes));
  private readonly worker: Worker;
  private readonly waiting: { resolve(built: BuiltBatch): void; reject(error: Error): void }[] = [];
  private tasks = 0;
  private failure: Error | null = null;

  /** Whether a source can be read as raw rows and is large enough for a thread. */
  static isWorthIt({ sources, roll }: OpenedFiles): boolean {
    const byteLength = sources.reduce((sum, source) => sum + source.byteLength, 0);
    return roll === undefined && byteLength >= largeBytes && sources.some(({ readRaw }) => readRaw);
  }

  /** Create the thread before its plan is known, so that the load does not wait for its start. */
  constructor() {
    this.worker = new Worker(script, {
      workerData: { slots: this.slots } satisfies ThreadMemory,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb },
    });
    this.worker.on('message', (answer: Answer) => {
      const task = this.waiting.shift()!;
      if ('built' in answer) task.resolve(answer.built);
      else task.reject(answer.code === null ? answer.error : new AppError(answer.code, answer.error.message));
    });
    this.worker.on('error', (error) => this.fail(error));
    this.worker.on('exit', () => this.fail(new Error('The thread that builds records has ended.')));
  }

  /** Call once, before the first task. */
  begin(plan: BuildPlan): void {
    this.worker.postMessage({ plan } satisfies Assignment);
  }

  /** Whether raw rows are small enough for a task. */
  static fits({ pieces }: RawRows): boolean {
    return pieces.reduce((sum, { length }) => sum + length, 0) <= inputBytes;
  }

  /** The result is valid until `slotCount` further tasks were started. */
  build(raw: RawRows, source: number): Promise<BuiltBatch> {
    const slot = this.tasks++ % slotCount;
    const lengths = writeInput(this.slots[slot]!, raw.pieces);
    const built = new Promise<BuiltBatch>((resolve, reject) => {
      if (this.failure) reject(this.failure);
      else this.waiting.push({ resolve, reject });
    });
    built.catch(() => {}); // awaited once the batches before it are copied
    this.worker.postMessage({ raw: { ...raw, pieces: [] } as unknown as RawRows, slot, lengths, source } satisfies Task);
    return built;
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private fail(error: Error): void {
    this.failure ??= error; // fails later tasks, too
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }
}
