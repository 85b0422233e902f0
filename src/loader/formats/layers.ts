import { basename, extname } from 'node:path';
import { refusal } from '../../core/errors.js';

/** A table, folder or sheet of a file. */
export interface Layer {
  name: string;
  /** Whether its rows have shapes. */
  isSpatial: boolean;
}

export interface LayerChoice {
  /** The layer, sheet or archive member that the operator named. */
  layer?: string;
  /** The option that named it. */
  option?: '--layer' | '--join-layer';
  /** Whether a table without shapes is preferred: true for the tax roll of a join. */
  prefersTable?: boolean;
}

/**
 * The layer to read: the named one, or the only one of the preferred kind, or the only one.
 * @throws AppError listing the layers if that is ambiguous
 */
export function pickLayer<L extends Layer>(
  file: string,
  layers: L[],
  { layer: asked, option = '--layer', prefersTable = false }: LayerChoice,
): L {
  const named = asked === undefined ? layers : layers.filter(({ name }) => name.toLowerCase() === asked.toLowerCase());
  const wanted = named.filter(({ isSpatial }) => isSpatial !== prefersTable);
  const chosen = wanted.length > 0 ? wanted : named;
  if (chosen.length === 1) return chosen[0]!;
  if (layers.length === 0) throw refusal(`${file} holds no layer: it is empty, cut or damaged.`);
  const names = layers.map(({ name }) => name).join(', ');
  throw refusal(`${file}: ${option} must name the layer to load. It holds: ${names}.`);
}

/**
 * For a single-layer file, `--layer` must equal the file's own name.
 * @throws AppError if it names another layer
 */
export function checkOnlyLayer(path: string, { layer, option }: LayerChoice): void {
  const file = basename(path);
  const only = { name: basename(path, extname(path)), isSpatial: true };
  if (layer?.toLowerCase() !== file.toLowerCase()) pickLayer(file, [only], { layer, option });
}
