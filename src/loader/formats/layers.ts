import { basename, extname } from 'node:path';
import { AppError } from '../../core/errors.js';

/** One of the tables, folders or sheets that a file holds. */
export interface Layer {
  name: string;
  /** Whether its rows have shapes. */
  isSpatial: boolean;
}

export interface LayerWish {
  /** The layer, sheet or file of an archive that the operator named. */
  layer?: string;
  /** The option that names it. */
  option?: '--layer' | '--join-layer';
  /** Whether a table without shapes is wanted, as the roll of a join is. */
  prefersTable?: boolean;
}

/**
 * The layer to read: the one that is named, else the only one, else the only one of the kind that is wanted.
 * @throws AppError listing the layers where that does not tell
 */
export function pickLayer<L extends Layer>(
  file: string,
  layers: L[],
  { layer: asked, option = '--layer', prefersTable = false }: LayerWish,
): L {
  const named = asked === undefined ? layers : layers.filter(({ name }) => name.toLowerCase() === asked.toLowerCase());
  const wanted = named.filter(({ isSpatial }) => isSpatial !== prefersTable);
  const chosen = wanted.length > 0 ? wanted : named;
  if (chosen.length === 1) return chosen[0]!;
  const names = layers.map(({ name }) => name).join(', ') || 'none';
  throw new AppError('invalid_request', `${file}: ${option} must name the layer to load. It holds: ${names}.`);
}

/**
 * Holds a named layer against a file that has but one, which is called as the file.
 * @throws AppError where another is asked for
 */
export function checkOnlyLayer(path: string, { layer, option }: LayerWish): void {
  const file = basename(path);
  const only = { name: basename(path, extname(path)), isSpatial: true };
  if (layer?.toLowerCase() !== file.toLowerCase()) pickLayer(file, [only], { layer, option });
}
