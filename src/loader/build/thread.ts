import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../../core/errors.js';
import { RawRowParser, type RawRows } from '../formats/raw-rows.js';
import { CountyMatcher } from '../location/county-matcher.js';
import { keptRows, type RowFilter, rowFilter } from '../plan/where.js';
import { ByteWriter } from '../records/byte-writer.js';
import { type BatchBuffers, BatchBuilder } from './batch-builder.js';
import type { BuildPlan } from './build-plan.js';
import type { Answer, Assignment, Task, ThreadMemory } from './builder-thread.js';
import { readInput } from './built-batch.js';

// The script that a `BuilderThread` runs.
const { slots } = workerData as ThreadMemory;
const shared = (bytes: number): Buffer => Buffer.from(new SharedArrayBuffer(bytes));
/** The output buffers, one pair for each slot. */
const outputs = slots.map((): BatchBuffers => ({ rows: new ByteWriter(shared), attributes: new ByteWriter(shared) }));
let state: Promise<BuilderState>;

parentPort!.on('message', async (message: Assignment | Task) => {
  if ('plan' in message) state = open(message.plan);
  else parentPort!.postMessage(answerTo(message, await state));
});

interface BuilderState {
  builder: BatchBuilder;
  filter: RowFilter;
  /** By source. */
  parsers: RawRowParser[];
}

const open = async (plan: BuildPlan): Promise<BuilderState> => ({
  builder: new BatchBuilder(plan, await CountyMatcher.open(plan.facts.county.fips)),
  filter: rowFilter(plan.where),
  parsers: plan.systems.map(() => new RawRowParser()),
});

function answerTo({ raw, slot, lengths, source }: Task, { builder, filter, parsers }: BuilderState): Answer {
  try {
    const rows = parsers[source]!.rows({ ...raw, pieces: readInput(slots[slot]!, lengths) } as RawRows);
    const [built] = builder.build(keptRows(rows, filter), source, outputs[slot]!, Number.POSITIVE_INFINITY);
    return { built: built! };
  } catch (error) {
    return { error: error as Error, code: error instanceof AppError ? error.code : null };
  }
}
