import type { PlaceJudge } from '../place/place-judge.js';
import type { RowBatch } from '../read-rows.js';
import { BatchBuilder } from './batch-builder.js';
import type { BuildPlan } from './build-plan.js';
import { BuilderThread, slotCount } from './builder-thread.js';
import type { BuiltBatch } from './built-batch.js';

// A thread takes a tenth of a second to start.
const largeBytes = 8 * 1024 * 1024;

/**
 * Builds the records of all rows, in their order. Rows of formats that come as bytes are parsed and built in a thread of their own, so
 * that this one only reads, numbers and copies.
 * @param byteLength of the files
 */
export async function* buildBatches(
  batches: AsyncIterable<RowBatch>,
  plan: BuildPlan,
  judge: PlaceJudge,
  byteLength: number,
): AsyncIterable<BuiltBatch> {
  const here = new BatchBuilder(plan, judge);
  const underWay: Promise<BuiltBatch[]>[] = [];
  let thread: BuilderThread | undefined;
  try {
    for await (const { rows, packed, source } of batches) {
      if (byteLength >= largeBytes && packed && BuilderThread.fits(packed)) {
        thread ??= new BuilderThread(plan);
        underWay.push(thread.build(packed, source));
        if (underWay.length === slotCount) yield* await underWay.shift()!;
      } else {
        while (underWay.length > 0) yield* await underWay.shift()!;
        yield* here.build(rows, source);
      }
    }
    while (underWay.length > 0) yield* await underWay.shift()!;
  } finally {
    await thread?.close();
  }
}
