import type { RowBatch } from '../join/read-rows.js';
import type { PlaceJudge } from '../location/county-matcher.js';
import { ByteWriter } from '../records/byte-writer.js';
import { BatchBuilder } from './batch-builder.js';
import type { BuildPlan } from './build-plan.js';
import { BuilderThread, slotCount } from './builder-thread.js';
import type { BuiltBatch } from './built-batch.js';

const batchBytes = 64 * 1024;

/**
 * Builds the records of all rows, in their order. Rows of formats that come as bytes are parsed and built in a thread of their own, so
 * that this one only reads, numbers and copies.
 * @param thread null: there is none
 */
export async function* buildBatches(
  batches: AsyncIterable<RowBatch>,
  plan: BuildPlan,
  judge: PlaceJudge,
  thread: BuilderThread | null,
): AsyncIterable<BuiltBatch> {
  const here = new BatchBuilder(plan, judge);
  const memory = { rows: new ByteWriter(), attributes: new ByteWriter() };
  const underWay: Promise<BuiltBatch>[] = [];
  thread?.begin(plan);
  for await (const { rows, packed, source } of batches) {
    if (thread && packed && BuilderThread.fits(packed)) {
      underWay.push(thread.build(packed, source));
      if (underWay.length === slotCount) yield await underWay.shift()!;
    } else {
      while (underWay.length > 0) yield await underWay.shift()!;
      yield* here.build(rows, source, memory, batchBytes);
    }
  }
  while (underWay.length > 0) yield await underWay.shift()!;
}
