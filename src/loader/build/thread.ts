import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../../errors.js';
import { PlaceJudge } from '../place/place-judge.js';
import { keptRows, type RowFilter, rowFilter } from '../plan/where.js';
import { type PackedRows, Unpacker } from '../sources/packed-rows.js';
import { BatchBuilder } from './batch-builder.js';
import type { BuildPlan } from './build-plan.js';
import type { Answer, Assignment, Task, ThreadMemory } from './builder-thread.js';
import type { BuiltBatch } from './built-batch.js';
import { readInput, SlotOutput } from './slot.js';

// What a `BuilderThread` runs.
const { slots } = workerData as ThreadMemory;
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
    const output = new SlotOutput(slots[slot]!);
    const built: BuiltBatch[] = [];
    for (const batch of builder.build(keptRows(rows, filter), source)) {
      built.push({ ...batch, records: output.add(batch.records), attributes: batch.attributes && output.add(batch.attributes) });
    }
    return { built };
  } catch (error) {
    return { error: error as Error, code: error instanceof AppError ? error.code : null };
  }
}
