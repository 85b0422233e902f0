import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../../core/errors.js';
import { projectFile } from '../../core/project-files.js';
import type { PackedRows } from '../formats/packed-rows.js';
import type { OpenedFiles } from '../plan/plan-load.js';
import type { BuildPlan } from './build-plan.js';
import type { BuiltBatch } from './built-batch.js';
import { inputBytes, type Slot, writeInput } from './slot.js';

/** How many tasks may be under way. */
export const slotCount = 8;

/** What a thread starts with. */
export interface ThreadMemory {
  slots: Slot[];
}

/** What comes before the first task. */
export interface Assignment {
  plan: BuildPlan;
}

/** Some packed rows to build. */
export interface Task {
  /** Without the bytes of its pieces. */
  packed: PackedRows;
  /** They stand one after the other in this slot. */
  slot: number;
  lengths: number[];
  source: number;
}

/** What became of a task: of an `AppError` its code, too, which does not come through as part of it. */
export type Answer = { built: BuiltBatch } | { error: Error; code: ErrorCode | null };

// Three times the 4 MB that `npm run cli` sets for the first thread, whatever the process that loads gives its own.
const maxYoungGenerationSizeMb = 12;

// It takes a tenth of a second to start.
const largeBytes = 8 * 1024 * 1024;

// Compiled also where the code around it runs from its source, as in tests: a thread knows no other loader than Node's.
const script = projectFile('dist/src/loader/build/thread.js');

/**
 * A thread that builds the records of packed rows, one task after the other. All bytes go by way of memory that both threads share: new
 * memory for each task, handed over, made V8 look for it by full collections, a second of CPU for 100,000 rows.
 */
export class BuilderThread {
  private readonly slots = Array.from({ length: slotCount }, (): Slot => new SharedArrayBuffer(inputBytes));
  private readonly worker: Worker;
  private readonly waiting: { resolve(built: BuiltBatch): void; reject(error: Error): void }[] = [];
  private tasks = 0;
  private failure: Error | null = null;

  /** Whether rows come as bytes, and so many that a thread for them pays. */
  static isWorthIt({ sources, roll }: OpenedFiles): boolean {
    const byteLength = sources.reduce((sum, source) => sum + source.byteLength, 0);
    return roll === undefined && byteLength >= largeBytes && sources.some(({ readPacked }) => readPacked);
  }

  /** To be made before its plan is known, so that nobody waits for its start. */
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

  /** To be called once, before the first task. */
  begin(plan: BuildPlan): void {
    this.worker.postMessage({ plan } satisfies Assignment);
  }

  /** Whether rows are few enough for a task. */
  static fits({ pieces }: PackedRows): boolean {
    return pieces.reduce((sum, { length }) => sum + length, 0) <= inputBytes;
  }

  /** What it gives is written over by the task after the next `slotCount - 1`. */
  build(packed: PackedRows, source: number): Promise<BuiltBatch> {
    const slot = this.tasks++ % slotCount;
    const lengths = writeInput(this.slots[slot]!, packed.pieces);
    const built = new Promise<BuiltBatch>((resolve, reject) => {
      if (this.failure) reject(this.failure);
      else this.waiting.push({ resolve, reject });
    });
    built.catch(() => {}); // it is awaited once those before it are copied
    this.worker.postMessage({ packed: { ...packed, pieces: [] } as unknown as PackedRows, slot, lengths, source } satisfies Task);
    return built;
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private fail(error: Error): void {
    this.failure ??= error; // also of tasks that are still to come
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }
}
