import { AppError } from '../../errors.js';
import { writeOutDates } from './esri-dates.js';
import { FeatureReader } from './feature-reader.js';
import { parseFeature } from './parse-feature.js';
import { brokenRow, type SourceBatch, type SourceRow } from './source.js';

/** The texts of features. */
export interface PackedFeatures {
  kind: 'features';
  /** A text without bytes was too large to be kept. */
  pieces: Buffer[];
  /** As an operator would look them up. */
  numbers: number[];
  /** Of a sequence: what a piece of it is called, and whether the file ended before the delimiter of the last one. */
  sequence: { piece: 'line' | 'record'; isUnended: boolean } | null;
  /** Whose numbers Esri's JSON declares to be dates. */
  dateColumns: string[];
}

export function* unpackFeatures({ pieces, numbers, sequence, dateColumns }: PackedFeatures): SourceBatch {
  const reader = new FeatureReader();
  for (let i = 0; i < pieces.length; i++) {
    const text = pieces[i]!;
    const plain = reader.read(numbers[i]!, text);
    if (plain) {
      yield plain;
      continue;
    }
    const parsed = parseFeature(numbers[i]!, text);
    if (dateColumns.length > 0) writeOutDates(parsed.properties, dateColumns);
    else if (parsed.fault === null) reader.learn(parsed.properties);
    yield sequence ? pieceOf(sequence, parsed, text) : parsed;
  }
}

function pieceOf({ piece, isUnended }: NonNullable<PackedFeatures['sequence']>, parsed: SourceRow, text: Buffer): SourceRow {
  const { number } = parsed;
  if (parsed.fault && isUnended && text.length > 0 && !text.toString('latin1').trimEnd().endsWith('}')) {
    throw new AppError('invalid_request', `The file is cut: it ends within ${piece} ${number}.`);
  }
  return isEnvelope(parsed) ? brokenRow(number, 'A collection within a sequence of features', text.toString('latin1')) : parsed;
}

function isEnvelope({ properties }: SourceRow): boolean {
  return properties.type === 'FeatureCollection';
}
