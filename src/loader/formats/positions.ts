import type { SourceGeometry } from './source.js';

/** The first position of a shape, in the file's own coordinates; null where it has none. */
export function firstPosition({ coordinates, geometries }: SourceGeometry): [x: number, y: number] | null {
  let value: unknown = coordinates ?? geometries?.[0]?.coordinates;
  while (Array.isArray(value) && Array.isArray(value[0])) value = value[0];
  return Array.isArray(value) && Number.isFinite(value[0]) && Number.isFinite(value[1]) ? [value[0], value[1]] : null;
}

/** Whether a shape has more numbers than so many. */
export function hasMoreNumbers({ coordinates, geometries }: SourceGeometry, bound: number): boolean {
  const rest = geometries ? geometries.reduce((left, member) => left - numbersIn(member.coordinates), bound) : bound;
  return numbersIn(coordinates) > rest;
}

function numbersIn(value: unknown): number {
  if (!Array.isArray(value)) return 0;
  return Array.isArray(value[0]) ? value.reduce((sum, item) => sum + numbersIn(item), 0) : value.length;
}
