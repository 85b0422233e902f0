import type { RowBatch } from '../join/read-rows.js';
import type { CountyMatcher } from '../location/county-matcher.js';
import { ByteWriter } from '../records/byte-writer.js';
import { BatchBuilder } from './batch-builder.js';
import type { BuildPlan } from './build-plan.js';
import { BuilderThread, slotCount } from './builder-thread.js';
import type { BuiltBatch } from './built-batch.js';

const batchBytes = 64 * 1024;

/**
 * Builds the records of all rows, in order. Unparsed rows are parsed and built in the builder thread, if there is one, so that this thread
 * only reads, numbers and copies.
 */
export async function* buildBatches(
  batches: AsyncIterable<RowBatch>,
  plan: BuildPlan,
  matcher: CountyMatcher,
  thread: BuilderThread | null,
): AsyncIterable<BuiltBatch> {
  const here = new BatchBuilder(plan, matcher);
  const buffers = { rows: new ByteWriter(), attributes: new ByteWriter() };
  const inProgress: Promise<BuiltBatch>[] = [];
  thread?.begin(plan);
  for await (const { rows, raw, source } of batches) {
    if (thread && raw && BuilderThread.fits(raw)) {
      inProgress.push(thread.build(raw, source));
      if (inProgress.length === slotCount) yield await inProgress.shift()!;
    } else {
      while (inProgress.length > 0) yield await inProgress.shift()!;
      yield* here.build(rows, source, buffers, batchBytes);
    }
  }
  while (inProgress.length > 0) yield await inProgress.shift()!;
}
