import { decodeLatin1Text } from '../text-encoding.js';

/** The header line of a table. */
export class TableHeader {
  /** Repeated and missing names get a number. */
  readonly columns: string[];
  private readonly lines: string[][];

  /** @param lines the lines that are no record if they come once more; the first has the names */
  constructor(...lines: [string[], ...string[][]]) {
    this.columns = columnNames(lines[0]);
    this.lines = lines.map((cells) => cells.map((cell) => cell.trim()));
  }

  /**
   * The header among a table's first lines, which may be two: groups above names (`Owner`, blank, `Site` above `Name`, `City`, `Address`), or
   * names above what they mean. Null if there is none.
   */
  static among(lines: HeaderCell[][], columnCount: number): { header: TableHeader; first: number } | null {
    const first = lines.findIndex((cells) => !isTitle(cells, columnCount));
    if (first < 0) return null;
    const texts = (cells: HeaderCell[] | undefined) =>
      Array.from({ length: lines[first]!.length }, (_, i) => String(cells?.[i] ?? '').trim());
    const [above, names, below] = [texts(lines[first - 1]), texts(lines[first]), texts(lines[first + 1])];
    if (hasRepeats(names.filter(Boolean)) && filledCount(above) > 1)
      return { header: new TableHeader(withGroups(above, names), names), first };
    if (!isBesidesNumbers(below, lines.slice(first + 2).map(texts)))
      return { header: new TableHeader(lines[first]!.map((cell) => String(cell ?? ''))), first };
    return { header: new TableHeader(hasRepeats(names) ? withGroups(names, below) : names, names, below), first };
  }

  get hasTwoLines(): boolean {
    return this.lines.length > 1;
  }

  /**
   * Whether a row repeats the header, as in concatenated files or on each page of a report. The first cell is compared last, because it may
   * have the byte order mark of a concatenated file.
   */
  isRepeatedBy(values: unknown[]): boolean {
    for (const cells of this.lines) if (isSameLine(cells, values)) return true;
    return false;
  }
}

type HeaderCell = string | number | null;

/** Whether names are repeated or missing, as those of groups of columns. */
const hasRepeats = (names: string[]): boolean => new Set(names.filter(Boolean)).size < names.length;

/** Each name after that of its group, which stands above the group's first column. */
function withGroups(groups: string[], names: string[]): string[] {
  let group = '';
  return names.map((name, i) => {
    group = groups[i] || group;
    return name.startsWith(group) ? name : `${group} ${name}`.trim();
  });
}

const enoughLines = 3;
const nearlyAll = 0.8;

/** Whether a line has words in all columns in which the lines below have numbers: no record lacks all of its numbers. */
function isBesidesNumbers(line: string[], below: string[][]): boolean {
  if (below.length < enoughLines) return false;
  const numeric = line.filter((_, i) => below.filter((cells) => /\d/.test(cells[i]!)).length >= below.length * nearlyAll);
  return numeric.length > 1 && numeric.every((cell) => /^\D*[^\W\d_]\D*$/.test(cell));
}

function isSameLine(cells: string[], values: unknown[]): boolean {
  for (let i = cells.length - 1; i >= 0; i--) {
    const text = String(values[i] ?? '');
    if ((i === 0 ? withoutByteOrderMark(text) : text).trim() !== cells[i]) return false;
  }
  return true;
}

// Read as Latin-1, the mark is three letters, and the parser does not treat the quotes after it as quotes.
const withoutByteOrderMark = (text: string): string => text.replace(/^\u00ef\u00bb\u00bf("?)(.*)\1/s, '$2');

function columnNames(header: string[]): string[] {
  const seen = new Map<string, number>();
  return header.map((cell, i) => {
    const name = decodeLatin1Text(cell).replaceAll('\0', '').trim() || `column_${i + 1}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name}_${count}`;
  });
}

/** How many of a table's first lines decide how many columns it has. */
export const layoutSampleLines = 30;

/** The most common count, weighted by its size: notes above a table may fill more of the sampled lines than the table itself. */
export function commonestCount(counts: number[]): number {
  const weight = (count: number) => count * counts.filter((other) => other === count).length;
  return counts.toSorted((a, b) => weight(b) - weight(a))[0] ?? 1;
}

export const filledCount = (cells: (string | number | null)[]): number =>
  cells.filter((cell) => cell !== null && String(cell).trim() !== '').length;

/** Whether a line is a title above the table, such as the county's name or the export date: it fills at most half of the columns. */
export function isTitle(cells: (string | number | null)[], columnCount: number): boolean {
  return columnCount >= 3 && filledCount(cells) * 2 <= columnCount;
}
