import { parse } from 'csv-parse/sync';
import { refusal } from '../../../core/errors.js';
import { commonestCount, isTitle, layoutSampleLines, TableHeader } from './table-header.js';

const delimiters = [',', '\t', ';', '|', '^', '~'];

/** How a table's lines are split. */
export interface TableLayout {
  delimiter: string;
  /** The quote character around values. */
  quote: string;
  /** How many columns most of the first lines have. */
  columnCount: number;
  /** Whether all first lines have that many. */
  isUniform: boolean;
  /** Empty: the parser uses the first one that it finds. */
  lineEnds: string[];
  firstLines: string[];
  /** The header of two lines, if it has two. */
  header: TableHeader | null;
}

// A comma in owners' names may split many lines into two cells.
const fewColumns = 2;

/** Fixed-width columns can't be told apart reliably: a column may be full in one row and blank in the next. */
export function refuseFixedWidths(name: string, { columnCount, isUniform, firstLines }: TableLayout): void {
  if (columnCount > fewColumns || (columnCount > 1 && isUniform)) return;
  const startsAt = new Map<number, number>();
  for (const line of firstLines) {
    for (const { index, 0: blanks } of line.matchAll(/ {2,}(?=\S)/g)) {
      startsAt.set(index + blanks.length, (startsAt.get(index + blanks.length) ?? 0) + 1);
    }
  }
  if ([...startsAt.values()].filter((count) => count * 2 > firstLines.length).length <= fewColumns) return;
  throw refusal(
    `${name} seems to have columns of fixed widths: open it in Excel (Data, From Text), set the column breaks, import all columns as text, and save it as CSV.`,
  );
}

/**
 * Picks the delimiter that splits the most lines, outside of quotes, into the same number of columns, preferring more columns. A character
 * that also occurs within values splits lines unevenly.
 */
export function detectLayout(text: string): TableLayout {
  const lines = text.split(/\r?\n|\r/).filter((line) => line.trim() !== '' && !/^sep=.$/i.test(line));
  const quote = detectQuote(lines.slice(0, layoutSampleLines));
  const quoted = new RegExp(`${quote}[^${quote}]*${quote}`, 'g');
  const plain = lines.slice(0, layoutSampleLines).map((line) => line.replace(quoted, ''));
  const layouts = delimiters.map((delimiter) => {
    const counts = plain.map((line) => line.split(delimiter).length);
    const columnCount = commonestCount(counts);
    const lineCount = counts.filter((count) => count === columnCount).length;
    return {
      delimiter,
      columnCount,
      isUniform: lineCount === counts.length,
      weight: columnCount === 1 ? 0 : columnCount * lineCount ** 2,
    };
  });
  const { delimiter, columnCount, isUniform } = layouts.reduce((best, layout) => (layout.weight > best.weight ? layout : best));
  return {
    delimiter,
    quote,
    columnCount,
    isUniform,
    lineEnds: detectLineEnds(text.replace(quoted, 'text'), delimiter, columnCount),
    firstLines: lines.slice(0, layoutSampleLines),
    header: headerOfTwoLines(lines.slice(0, layoutSampleLines), delimiter, quote, columnCount),
  };
}

function headerOfTwoLines(lines: string[], delimiter: string, quote: string, columnCount: number): TableHeader | null {
  try {
    const options = { bom: true, delimiter, quote, escape: quote, relax_column_count: true, relax_quotes: true };
    const found = TableHeader.among(parse(lines.join('\n'), options) as string[][], columnCount)?.header;
    return found?.hasTwoLines ? found : null;
  } catch {
    return null; // the first lines end within a value
  }
}

/** An apostrophe if most lines have values in apostrophes and none in quotes: an apostrophe within or before a text stands alone. */
function detectQuote(lines: string[]): string {
  const edge = `[${delimiters.join('')}]`;
  const linesWith = (quote: string) => {
    const enclosed = new RegExp(`(?:^|${edge})${quote}[^${quote}]*${quote}(?=${edge}|$)`);
    return lines.filter((line) => enclosed.test(line)).length;
  };
  return linesWith("'") * 2 > lines.length && linesWith('"') === 0 ? "'" : '"';
}

/**
 * If the first line or the header ends in LF, later lines may end in LF or CR LF, as in concatenated files. If both end in CR LF, an LF
 * alone is part of a value.
 */
function detectLineEnds(plain: string, delimiter: string, columnCount: number): string[] {
  const lines = [...plain.matchAll(/([^\r\n]*)(\r?\n|\r)/g)].slice(0, layoutSampleLines);
  const header = lines.find(([, line]) => !isTitle(line!.split(delimiter), columnCount));
  return lines[0]?.[2] === '\n' || header?.[2] === '\n' ? ['\r\n', '\n'] : [];
}
