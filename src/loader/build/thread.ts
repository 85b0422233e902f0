import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../../core/errors.js';
import { type PackedRows, Unpacker } from '../formats/packed-rows.js';
import { PlaceJudge } from '../location/county-matcher.js';
import { keptRows, type RowFilter, rowFilter } from '../plan/where.js';
import { ByteWriter } from '../records/byte-writer.js';
import { BatchBuilder, type BatchMemory } from './batch-builder.js';
import type { BuildPlan } from './build-plan.js';
import type { Answer, Assignment, Task, ThreadMemory } from './builder-thread.js';
import { readInput } from './slot.js';

// What a `BuilderThread` runs.
const { slots } = workerData as ThreadMemory;
const shared = (bytes: number): Buffer => Buffer.from(new SharedArrayBuffer(bytes));
/** What is built in each slot. */
const memories = slots.map((): BatchMemory => ({ rows: new ByteWriter(shared), attributes: new ByteWriter(shared) }));
let workshop: Promise<Workshop>;

parentPort!.on('message', async (message: Assignment | Task) => {
  if ('plan' in message) workshop = open(message.plan);
  else parentPort!.postMessage(answerTo(message, await workshop));
});

interface Workshop {
  builder: BatchBuilder;
  filter: RowFilter;
  /** Of each source. */
  unpackers: Unpacker[];
}

const open = async (plan: BuildPlan): Promise<Workshop> => ({
  builder: new BatchBuilder(plan, await PlaceJudge.open(plan.facts.county.fips)),
  filter: rowFilter(plan.where),
  unpackers: plan.systems.map(() => new Unpacker()),
});

function answerTo({ packed, slot, lengths, source }: Task, { builder, filter, unpackers }: Workshop): Answer {
  try {
    const rows = unpackers[source]!.rows({ ...packed, pieces: readInput(slots[slot]!, lengths) } as PackedRows);
    const [built] = builder.build(keptRows(rows, filter), source, memories[slot]!, Number.POSITIVE_INFINITY);
    return { built: built! };
  } catch (error) {
    return { error: error as Error, code: error instanceof AppError ? error.code : null };
  }
}
