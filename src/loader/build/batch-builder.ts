import type { SourceRow } from '../formats/source-row.js';
import type { CountyMatcher } from '../location/county-matcher.js';
import { MatchTally } from '../location/match-tally.js';
import { ColumnNames } from '../plan/column-names.js';
import { AttributesWriter } from '../records/attributes.js';
import type { ByteWriter } from '../records/byte-writer.js';
import { FieldTally } from '../records/field-tally.js';
import { restoreCoordinateSystem } from '../records/geometry/crs.js';
import { RecordBuilder } from '../records/record.js';
import type { BuildPlan } from './build-plan.js';
import type { BuiltBatch } from './built-batch.js';
import { beginRow, endText } from './parcel-rows.js';

/** The buffers that a batch is written into, overwriting the batch before. */
export interface BatchBuffers {
  rows: ByteWriter;
  attributes: ByteWriter;
}

/** Turns rows into finished records. Nothing in them depends on other rows; `ParcelCopy` adds what does. */
export class BatchBuilder {
  private readonly releaseId: number;
  private readonly tally = new FieldTally();
  private readonly matches: MatchTally;
  private readonly builders: RecordBuilder[];
  /** By source. */
  private readonly names: ColumnNames[];
  private readonly attributesWriter: AttributesWriter | null;

  constructor({ facts, mapping, columns, systems, matchMode, keepsAttributes }: BuildPlan, matcher: CountyMatcher) {
    this.releaseId = facts.releaseId;
    this.matches = new MatchTally(matcher, matchMode);
    this.builders = systems.map(
      ({ origin, srid }) => new RecordBuilder(facts, mapping, restoreCoordinateSystem(origin, srid), this.tally, this.matches.check),
    );
    this.names = systems.map(() => new ColumnNames(columns));
    this.attributesWriter = keepsAttributes ? new AttributesWriter(mapping) : null;
  }

  /** @param maxBytes the size at which a new batch begins */
  *build(rows: Iterable<SourceRow>, source: number, buffers: BatchBuffers, maxBytes: number): Iterable<BuiltBatch> {
    const { releaseId, attributesWriter } = this;
    const builder = this.builders[source]!;
    const names = this.names[source]!;
    let batch = this.begin(buffers);
    for (const given of rows) {
      const row = names.of(given);
      const record = builder.build(row);
      batch.read++;
      if ('reason' in record) {
        batch.rejected.push({ row: { number: given.number, properties: given.properties }, rejection: record, source });
        continue;
      }
      const { apn, location } = record;
      const textStart = beginRow(buffers.rows, releaseId, apn);
      builder.write(record, buffers.rows);
      endText(buffers.rows, textStart);
      if (attributesWriter !== null) {
        attributesWriter.write(row, buffers.attributes);
        batch.attributes!.ends.push(buffers.attributes.length);
      }
      batch.loaded++;
      if (apn === null) batch.withoutApn++;
      if (location === null || location.polygons.length === 0) batch.withoutGeometry++;
      if (buffers.rows.length < maxBytes) continue;
      yield this.end(batch, source, buffers);
      batch = this.begin(buffers);
    }
    yield this.end(batch, source, buffers);
  }

  private begin(buffers: BatchBuffers): UnfinishedBatch {
    buffers.rows.length = 0;
    buffers.attributes.length = 0;
    const attributes = this.attributesWriter === null ? null : { ends: [] };
    return { read: 0, loaded: 0, rejected: [], withoutApn: 0, withoutGeometry: 0, attributes };
  }

  private end(batch: UnfinishedBatch, source: number, { rows, attributes }: BatchBuffers): BuiltBatch {
    return {
      ...batch,
      unseen: this.names[source]!.takeUnseen().map((unseen) => ({ ...unseen, source })),
      fields: this.tally.drain(),
      matches: this.matches.drain(),
      rows: rows.written(),
      attributes: batch.attributes && { bytes: attributes.written(), ends: batch.attributes.ends },
    };
  }
}

interface UnfinishedBatch extends Omit<BuiltBatch, 'unseen' | 'fields' | 'matches' | 'rows' | 'attributes'> {
  attributes: { ends: number[] } | null;
}
