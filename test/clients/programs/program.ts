/** Reads with a client: the charge, each record's first corner, and the code of a refused token. */
export type Program = (baseUrl: string, token: string) => Promise<{ charged: number; corners: (Position | null)[]; refused: string }>;

type Position = [longitude: number, latitude: number];
type Shape = { type: 'Polygon'; coordinates: number[][][] } | { type: 'MultiPolygon'; coordinates: number[][][][] };

/** The first corner of a shape. Its type compiles only where the client knows both kinds apart. */
export function cornersOf(shape: Shape | null): Position | null {
  if (shape === null) return null;
  const rings = shape.type === 'Polygon' ? shape.coordinates : shape.coordinates[0]!;
  return rings[0]![0]! as Position;
}

declare const process: { argv: string[] };

export async function run(read: Program): Promise<void> {
  console.log(JSON.stringify(await read(process.argv[2]!, process.argv[3]!)));
}
