import type { SourceRow } from '../formats/source.js';
import type { PlaceJudge } from '../location/county-matcher.js';
import { PlaceTally } from '../location/match-tally.js';
import { ColumnNames } from '../plan/column-names.js';
import { AttributesWriter } from '../records/attributes.js';
import type { ByteWriter } from '../records/byte-writer.js';
import { FieldTally } from '../records/field-tally.js';
import { sameSystem } from '../records/geometry/crs.js';
import { RecordBuilder } from '../records/record.js';
import type { BuildPlan } from './build-plan.js';
import type { BuiltBatch } from './built-batch.js';
import { beginRow, endText } from './parcel-rows.js';

/** What a batch is written into, over the one before. */
export interface BatchMemory {
  rows: ByteWriter;
  attributes: ByteWriter;
}

/** Turns rows into finished records. Nothing in them depends on other rows: that is for who puts them together. */
export class BatchBuilder {
  private readonly releaseId: number;
  private readonly tally = new FieldTally();
  private readonly places: PlaceTally;
  private readonly builders: RecordBuilder[];
  /** Of each source. */
  private readonly names: ColumnNames[];
  private readonly attributesWriter: AttributesWriter | null;

  constructor({ facts, mapping, columns, systems, isForced, keepsAttributes }: BuildPlan, judge: PlaceJudge) {
    this.releaseId = facts.releaseId;
    this.places = new PlaceTally(judge, isForced);
    this.builders = systems.map(
      ({ origin, srid }) => new RecordBuilder(facts, mapping, sameSystem(origin, srid), this.tally, this.places.check),
    );
    this.names = systems.map(() => new ColumnNames(columns));
    this.attributesWriter = keepsAttributes ? new AttributesWriter(mapping) : null;
  }

  /** @param maxBytes how much there may be in a batch before another one begins */
  *build(rows: Iterable<SourceRow>, source: number, memory: BatchMemory, maxBytes: number): Iterable<BuiltBatch> {
    const { releaseId, attributesWriter } = this;
    const builder = this.builders[source]!;
    const names = this.names[source]!;
    let batch = this.begin(memory);
    for (const given of rows) {
      const row = names.of(given);
      const record = builder.build(row);
      batch.read++;
      if ('reason' in record) {
        batch.rejected.push({ row: { number: given.number, properties: given.properties }, rejection: record, source });
        continue;
      }
      const { apn, place } = record;
      const textStart = beginRow(memory.rows, releaseId, apn);
      builder.write(record, memory.rows);
      endText(memory.rows, textStart);
      if (attributesWriter !== null) {
        attributesWriter.write(row, memory.attributes);
        batch.attributes!.ends.push(memory.attributes.length);
      }
      batch.loaded++;
      if (apn === null) batch.withoutApn++;
      if (place === null || place.polygons.length === 0) batch.withoutGeometry++;
      if (memory.rows.length < maxBytes) continue;
      yield this.end(batch, source, memory);
      batch = this.begin(memory);
    }
    yield this.end(batch, source, memory);
  }

  private begin(memory: BatchMemory): UnfinishedBatch {
    memory.rows.length = 0;
    memory.attributes.length = 0;
    const attributes = this.attributesWriter === null ? null : { ends: [] };
    return { read: 0, loaded: 0, rejected: [], withoutApn: 0, withoutGeometry: 0, attributes };
  }

  private end(batch: UnfinishedBatch, source: number, { rows, attributes }: BatchMemory): BuiltBatch {
    return {
      ...batch,
      unseen: this.names[source]!.takeUnseen().map((unseen) => ({ ...unseen, source })),
      fields: this.tally.take(),
      places: this.places.take(),
      rows: rows.written(),
      attributes: batch.attributes && { bytes: attributes.written(), ends: batch.attributes.ends },
    };
  }
}

interface UnfinishedBatch extends Omit<BuiltBatch, 'unseen' | 'fields' | 'places' | 'rows' | 'attributes'> {
  attributes: { ends: number[] } | null;
}
