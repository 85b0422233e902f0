/** Outlines use whole ten-thousandths of a degree: 11 metres from south to north, less from west to east. */
export const unitsPerDegree = 10_000;

/** west, south, east, north, in units of `unitsPerDegree`. East exceeds 180 degrees if a county crosses the antimeridian. */
export type Box = [west: number, south: number, east: number, north: number];

const gridSize = 64;
const metresPerUnit = 111_320 / unitsPerDegree;

enum Cell {
  outside = 0,
  inside = 1,
  crossed = 2,
}

/**
 * An outline with a fast point-in-polygon test. A grid over its box marks the cells that no border crosses, so one lookup is enough for
 * nearly all points. For the others it counts the borders east of the point in the cell's row.
 */
export class Outline {
  private readonly cells = new Uint8Array(gridSize * gridSize);
  /** The edges that touch each row of the grid: row r has those from rowStarts[r] to rowStarts[r + 1]. */
  private readonly rowStarts = new Uint32Array(gridSize + 1);
  private readonly rowEdges: Uint32Array;
  private readonly cellWidth: number;
  private readonly cellHeight: number;

  /** @param corners x, y, x, y … of all rings, each closed by its first corner. `ends`: the index after each ring's last corner. */
  constructor(
    readonly box: Box,
    private readonly corners: Int32Array,
    private readonly ends: number[],
  ) {
    const [west, south, east, north] = box;
    this.cellWidth = Math.max(1, east - west) / gridSize;
    this.cellHeight = Math.max(1, north - south) / gridSize;
    this.rowEdges = this.listEdgesByRow();
    for (let row = 0; row < gridSize; row++) this.fillRow(row);
  }

  /** Longitude and latitude of all corners, in degrees, ring by ring, each closed by its first corner. */
  rings(): [number, number][][] {
    return this.ends.map((end, ring) => {
      const start = this.ends[ring - 1] ?? 0;
      return Array.from({ length: (end - start) / 2 }, (_, i) => [
        this.corners[start + 2 * i]! / unitsPerDegree,
        this.corners[start + 2 * i + 1]! / unitsPerDegree,
      ]);
    });
  }

  /** Whether a position, in degrees, is inside. */
  holds(longitude: number, latitude: number): boolean {
    return this.holdsUnits(this.unitsEast(longitude), latitude * unitsPerDegree);
  }

  /** The distance from a position, in degrees, to the border. */
  metresTo(longitude: number, latitude: number): number {
    const { corners } = this;
    const x = this.unitsEast(longitude);
    const y = latitude * unitsPerDegree;
    const scale = Math.cos((latitude * Math.PI) / 180);
    let nearest = Number.POSITIVE_INFINITY;
    this.eachEdge((i) => {
      const ax = (corners[i]! - x) * scale;
      const ay = corners[i + 1]! - y;
      const dx = (corners[i + 2]! - corners[i]!) * scale;
      const dy = corners[i + 3]! - corners[i + 1]!;
      const length = dx * dx + dy * dy;
      const along = length === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / length));
      nearest = Math.min(nearest, (ax + along * dx) ** 2 + (ay + along * dy) ** 2);
    });
    return Math.sqrt(nearest) * metresPerUnit;
  }

  /** The distance of a position, in degrees, from the box, along the axis where it is larger. 0 inside. */
  metresOutOfBox(longitude: number, latitude: number): number {
    const [west, south, east, north] = this.box;
    const x = this.unitsEast(longitude);
    const y = latitude * unitsPerDegree;
    const acrossUnits = Math.max(west - x, x - east, 0) * Math.cos((latitude * Math.PI) / 180);
    return Math.max(acrossUnits, south - y, y - north, 0) * metresPerUnit;
  }

  private unitsEast(longitude: number): number {
    const x = longitude * unitsPerDegree;
    return x < 0 && this.box[2] > 180 * unitsPerDegree ? x + 360 * unitsPerDegree : x;
  }

  private holdsUnits(x: number, y: number): boolean {
    const [west, south, east, north] = this.box;
    if (!(x >= west && x <= east && y >= south && y <= north)) return false;
    const column = Math.min(gridSize - 1, Math.floor((x - west) / this.cellWidth));
    const row = Math.min(gridSize - 1, Math.floor((y - south) / this.cellHeight));
    const cell = this.cells[row * gridSize + column];
    return cell === Cell.crossed ? this.isBetweenBorders(row, x, y) : cell === Cell.inside;
  }

  private isBetweenBorders(row: number, x: number, y: number): boolean {
    const { corners, rowEdges } = this;
    const end = this.rowStarts[row + 1]!;
    let isWithin = false;
    for (let at = this.rowStarts[row]!; at < end; at++) {
      const i = rowEdges[at]!;
      const ay = corners[i + 1]!;
      const by = corners[i + 3]!;
      if (ay > y !== by > y && x < ((corners[i + 2]! - corners[i]!) * (y - ay)) / (by - ay) + corners[i]!) isWithin = !isWithin;
    }
    return isWithin;
  }

  private listEdgesByRow(): Uint32Array {
    const { corners, rowStarts } = this;
    this.eachEdge((i) => {
      for (let row = this.rowOf(lower(corners, i)); row <= this.rowOf(upper(corners, i)); row++) rowStarts[row + 1]!++;
    });
    for (let row = 0; row < gridSize; row++) rowStarts[row + 1]! += rowStarts[row]!;
    const rowEdges = new Uint32Array(rowStarts[gridSize]!);
    const next = rowStarts.slice();
    this.eachEdge((i) => {
      for (let row = this.rowOf(lower(corners, i)); row <= this.rowOf(upper(corners, i)); row++) rowEdges[next[row]!++] = i;
    });
    return rowEdges;
  }

  /** Marks the row's cells that edges cross, and then those that are inside. */
  private fillRow(row: number): void {
    const { cells, corners, rowEdges, rowStarts, cellWidth, cellHeight } = this;
    const [west, south] = this.box;
    const bottom = south + row * cellHeight;
    for (let at = rowStarts[row]!; at < rowStarts[row + 1]!; at++) {
      const i = rowEdges[at]!;
      const [from, to] = spanWithin(corners, i, bottom, bottom + cellHeight);
      // A margin to each side, since a point on the line between two cells may be rounded into either.
      const first = Math.max(0, Math.floor((from - west) / cellWidth - 0.01));
      const last = Math.min(gridSize - 1, Math.floor((to - west) / cellWidth + 0.01));
      cells.fill(Cell.crossed, row * gridSize + first, row * gridSize + last + 1);
    }
    for (let column = 0; column < gridSize; column++) {
      if (cells[row * gridSize + column] === Cell.crossed) continue;
      const isInside = this.isBetweenBorders(row, west + (column + 0.5) * cellWidth, bottom + cellHeight / 2);
      cells[row * gridSize + column] = isInside ? Cell.inside : Cell.outside;
    }
  }

  private rowOf(y: number): number {
    return Math.min(gridSize - 1, Math.max(0, Math.floor((y - this.box[1]) / this.cellHeight)));
  }

  private eachEdge(visit: (index: number) => void): void {
    let start = 0;
    for (const end of this.ends) {
      for (let i = start; i + 3 < end; i += 2) visit(i);
      start = end;
    }
  }
}

const lower = (corners: Int32Array, i: number) => Math.min(corners[i + 1]!, corners[i + 3]!);

const upper = (corners: Int32Array, i: number) => Math.max(corners[i + 1]!, corners[i + 3]!);

/** The west and east ends of the part of an edge between two latitudes. */
function spanWithin(corners: Int32Array, i: number, bottom: number, top: number): [number, number] {
  const ax = corners[i]!;
  const ay = corners[i + 1]!;
  const bx = corners[i + 2]!;
  const by = corners[i + 3]!;
  if (ay === by) return [Math.min(ax, bx), Math.max(ax, bx)];
  const at = (y: number) => ax + ((bx - ax) * (y - ay)) / (by - ay);
  const from = at(Math.max(bottom, Math.min(ay, by)));
  const to = at(Math.min(top, Math.max(ay, by)));
  return [Math.min(from, to), Math.max(from, to)];
}
