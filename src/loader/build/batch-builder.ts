import { FieldTally } from '../gate/field-tally.js';
import { AttributesWriter } from '../normalise/attributes.js';
import { ByteWriter } from '../normalise/byte-writer.js';
import { sameSystem } from '../normalise/crs.js';
import { numberKey } from '../normalise/distinguish.js';
import { RecordBuilder } from '../normalise/record.js';
import type { PlaceJudge } from '../place/place-judge.js';
import { PlaceTally } from '../place/place-tally.js';
import { ColumnNames } from '../plan/column-names.js';
import type { SourceRow } from '../sources/source.js';
import type { BuildPlan } from './build-plan.js';
import type { BuiltBatch } from './built-batch.js';

const batchBytes = 64 * 1024;

/** Turns rows into finished records. Nothing in them depends on other rows: that is for who puts them together. */
export class BatchBuilder {
  private readonly tally = new FieldTally();
  private readonly places: PlaceTally;
  private readonly builders: RecordBuilder[];
  /** Of each source. */
  private readonly names: ColumnNames[];
  private readonly records = new ByteWriter();
  private readonly attributes = new ByteWriter();
  private readonly attributesWriter: AttributesWriter | null;

  constructor({ facts, mapping, columns, systems, isForced, keepsAttributes }: BuildPlan, judge: PlaceJudge) {
    this.places = new PlaceTally(judge, isForced);
    this.builders = systems.map(
      ({ origin, srid }) => new RecordBuilder(facts, mapping, sameSystem(origin, srid), this.tally, this.places.check),
    );
    this.names = systems.map(() => new ColumnNames(columns));
    this.attributesWriter = keepsAttributes ? new AttributesWriter(mapping) : null;
  }

  /** The bytes of a batch are written over by the next one. */
  *build(rows: Iterable<SourceRow>, source: number): Iterable<BuiltBatch> {
    const builder = this.builders[source]!;
    const names = this.names[source]!;
    const { records, attributes, attributesWriter } = this;
    let batch = this.begin();
    for (const given of rows) {
      const row = names.of(given);
      const record = builder.build(row);
      batch.read++;
      if ('reason' in record) {
        batch.rejected.push({ row: { number: given.number, properties: given.properties }, rejection: record, source });
        continue;
      }
      const { apn, place } = record;
      builder.write(record, records);
      batch.records.ends.push(records.length);
      if (attributesWriter !== null) {
        attributesWriter.write(row, attributes);
        batch.attributes!.ends.push(attributes.length);
      }
      batch.apns.push(apn);
      batch.keys.push(numberKey(apn, place));
      if (apn === null) batch.withoutApn++;
      if (place === null || place.polygons.length === 0) batch.withoutGeometry++;
      if (records.length < batchBytes) continue;
      yield this.end(batch, source);
      batch = this.begin();
    }
    yield this.end(batch, source);
  }

  private begin(): UnfinishedBatch {
    this.records.length = 0;
    this.attributes.length = 0;
    return {
      read: 0,
      rejected: [],
      withoutApn: 0,
      withoutGeometry: 0,
      apns: [],
      keys: [],
      records: { ends: [] },
      attributes: this.attributesWriter === null ? null : { ends: [] },
    };
  }

  private end(batch: UnfinishedBatch, source: number): BuiltBatch {
    return {
      ...batch,
      unseen: this.names[source]!.takeUnseen().map((unseen) => ({ ...unseen, source })),
      fields: this.tally.take(),
      places: this.places.take(),
      records: { bytes: this.records.written(), ends: batch.records.ends },
      attributes: batch.attributes && { bytes: this.attributes.written(), ends: batch.attributes.ends },
    };
  }
}

interface UnfinishedBatch extends Omit<BuiltBatch, 'unseen' | 'fields' | 'places' | 'records' | 'attributes'> {
  records: { ends: number[] };
  attributes: { ends: number[] } | null;
}
