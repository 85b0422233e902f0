import { AppError } from '../../../core/errors.js';
import { brokenRow, type SourceBatch, type SourceRow } from '../source.js';
import { FeatureReader } from './feature-reader.js';
import { parseFeature } from './parse-feature.js';

/** Some texts of a sequence of features. */
export interface PackedRecords {
  kind: 'records';
  /** A text without bytes was too large to be kept. */
  pieces: Buffer[];
  /** As an operator would look them up. */
  numbers: number[];
  /** What a text is called. */
  piece: 'line' | 'record';
  /** Whether the file ended before the delimiter of the last one. */
  isUnended: boolean;
}

export function* unpackRecords({ pieces, numbers, piece, isUnended }: PackedRecords): SourceBatch {
  const reader = new FeatureReader();
  for (let i = 0; i < pieces.length; i++) {
    const text = pieces[i]!;
    const number = numbers[i]!;
    const plain = reader.read(number, text);
    if (plain) {
      yield plain;
      continue;
    }
    const parsed = parseFeature(number, text);
    if (parsed.fault === null) reader.learn(parsed.properties);
    else if (isUnended && text.length > 0 && !text.toString('latin1').trimEnd().endsWith('}')) {
      throw new AppError('invalid_request', `The file is cut: it ends within ${piece} ${number}.`);
    }
    yield isEnvelope(parsed) ? brokenRow(number, 'A collection within a sequence of features', text.toString('latin1')) : parsed;
  }
}

function isEnvelope({ properties }: SourceRow): boolean {
  return properties.type === 'FeatureCollection';
}
