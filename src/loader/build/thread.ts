import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../../errors.js';
import { PlaceJudge } from '../place/place-judge.js';
import { keptRows, rowFilter } from '../plan/where.js';
import { type PackedRows, unpack } from '../sources/packed-rows.js';
import { BatchBuilder } from './batch-builder.js';
import type { Answer, Task, ThreadPlan } from './builder-thread.js';
import type { BuiltBatch } from './built-batch.js';
import { readInput, SlotOutput } from './slot.js';

// What a `BuilderThread` runs.
const { plan, slots } = workerData as ThreadPlan;
const builder = new BatchBuilder(plan, await PlaceJudge.open(plan.facts.county.fips));
const filter = rowFilter(plan.where);

parentPort!.on('message', (task: Task) => parentPort!.postMessage(answerTo(task)));

function answerTo({ packed, slot, lengths, source }: Task): Answer {
  try {
    const rows = unpack({ ...packed, pieces: readInput(slots[slot]!, lengths) } as PackedRows);
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
