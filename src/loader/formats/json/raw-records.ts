import { AppError } from '../../../core/errors.js';
import { brokenRow, type SourceBatch, type SourceRow } from '../source-row.js';
import { FeatureReader } from './feature-reader.js';
import { parseFeature } from './parse-feature.js';

/** Unparsed features of a sequence. */
export interface RawRecords {
  kind: 'records';
  /** One feature each; empty if it was too large to keep. */
  pieces: Buffer[];
  /** Line or record numbers, for the operator to look up. */
  numbers: number[];
  /** What messages call a piece. */
  piece: 'line' | 'record';
  /** Whether the file ended without the last delimiter. */
  isUnended: boolean;
}

export function* parseRawRecords({ pieces, numbers, piece, isUnended }: RawRecords): SourceBatch {
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
