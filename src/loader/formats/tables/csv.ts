import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { type CsvError, parse } from 'csv-parse';
import iconv from 'iconv-lite';
import { AppError } from '../../../core/errors.js';
import { ListedRow } from '../columnar-row.js';
import { readChunks, readEdge } from '../read-chunks.js';
import { brokenRow, type ReadPosition, rowsPerBatch, type Source, type SourceBatch, type SourceRow } from '../source.js';
import { decodeLatin1Text, wideEncodingOf } from '../text-encoding.js';
import { NotesBelow } from './footer-rows.js';
import { noParcel } from './non-parcel-rows.js';
import { TableHeader } from './table-header.js';
import { apostropheColumns, mayHaveApostrophes, withoutFormula } from './text-marks.js';
import { commonestCount, isTitle, linesLookedAt } from './title-lines.js';

const delimiters = [',', '\t', ';', '|', '^', '~'];

/** Control-Z, by which DOS and what was made for it mark the end of a text. */
const endOfFile = '\u001a';

interface CsvLine {
  record: string[];
  info: { lines: number; bytes: number };
}

/** A table with a header line, in any usual delimiter and encoding. */
export async function openCsv(path: string): Promise<Source> {
  const head = await readEdge(path, 64 * 1024, 'head');
  const wideEncoding = wideEncodingOf(head);
  const text = wideEncoding ? iconv.decode(head, wideEncoding) : head.toString('latin1');
  const layout = layoutOf(text);
  refuseFixedWidths(basename(path), layout);
  const tail = (await readEdge(path, 2, 'tail')).toString('latin1');
  const read = (position: ReadPosition, marked: number[]) => readTable(path, position, layout, wideEncoding, /[\r\n]/.test(tail), marked);
  const marked = mayHaveApostrophes(text) ? await apostropheColumns(read({ bytesRead: 0 }, [])) : [];
  return {
    format: 'CSV',
    name: basename(path),
    files: [path],
    byteLength: (await stat(path)).size,
    crs: null,
    warnings: [],
    read: (position) => read(position, marked),
    close: async () => {},
  };
}

async function* readTable(
  path: string,
  position: ReadPosition,
  { delimiter, quote, columnCount, lineEnds }: TableLayout,
  wideEncoding: string | undefined,
  isLastLineEnded: boolean,
  marked: number[],
): AsyncIterable<SourceBatch> {
  // The parser is many lines behind what is read, by which a file would seem to have half its rows. It counts only what it is given.
  const readPosition = wideEncoding ? position : { bytesRead: 0 };
  const bytes = Readable.from(readChunks(path, readPosition), { objectMode: false });
  const text = wideEncoding ? bytes.pipe(iconv.decodeStream(wideEncoding)).pipe(iconv.encodeStream('utf8')) : bytes;
  // Read as Latin-1, which keeps every byte, because one file may hold values in two encodings.
  const parser = text.pipe(
    parse({
      bom: true,
      delimiter,
      quote,
      escape: quote,
      encoding: 'latin1',
      record_delimiter: lineEnds,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      info: true,
      // Without a limit an unclosed quote would make the rest of the file one record.
      max_record_size: 32 * 1024 * 1024,
    }),
  );
  // pipe() does not forward errors.
  bytes.on('error', (error) => parser.destroy(error));
  let header: TableHeader | undefined;
  let notes = new NotesBelow(0);
  let rows: SourceRow[] = [];
  let lastShortLine: number | undefined;
  let miscountedLines = 0;
  let lastLine = 1;
  let parsedBytes = 0;
  const countParsed = (upTo: number) => {
    if (!wideEncoding) position.bytesRead += upTo - parsedBytes;
    parsedBytes = upTo;
  };
  try {
    for await (const { record: values, info } of parser as AsyncIterable<CsvLine>) {
      if (values.every((value) => value.trim() === '' || value === endOfFile)) continue;
      if (!header) {
        if (isDelimiterLine(values) || isTitle(values, columnCount)) continue;
        header = new TableHeader(values);
        notes = new NotesBelow(header.columns.length, decodeLatin1Text);
        continue;
      }
      const innerLines = countInnerLines(values);
      // The parser counts a CR LF within quotes as two lines.
      miscountedLines += innerLines.crlf;
      lastLine = info.lines - miscountedLines;
      const lines = linesWithin(values, header.columns.length);
      // An LF at the very end begins no line that the parser would count.
      const first = lastLine - innerLines.all + (lines && values.at(-1)!.endsWith('\n') ? 1 : 0);
      if (innerLines.all > 0 && isOfStrayQuotes(values, header.columns.length, delimiter)) {
        rows.push(brokenRow(first, strayQuotes, values.map(decodeLatin1Text).join(delimiter)));
      } else if (lines) {
        for (const [i, line] of lines.entries()) rows.push(...notes.add(toRow(header, line, first + i, marked), line));
      } else rows.push(...notes.add(toRow(header, values, first, marked), values, lastLine));
      lastShortLine = values.length < header.columns.length ? first : undefined;
      if (rows.length >= rowsPerBatch) {
        countParsed(info.bytes);
        yield rows;
        rows = [];
      }
    }
  } catch (error) {
    const { code } = error as CsvError;
    if (code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE') {
      throw new AppError(
        'invalid_request',
        `The file is cut, or a quote is never closed, or lines end in LF and no longer in CR LF, in the row after line ${lastLine}.`,
        {
          cause: error,
        },
      );
    }
    throw error;
  } finally {
    bytes.destroy();
    parser.destroy();
  }
  if (lastShortLine !== undefined && !isLastLineEnded) {
    throw new AppError('invalid_request', `The file is cut: it ends within line ${lastShortLine}.`);
  }
  countParsed(readPosition.bytesRead);
  rows.push(...notes.end());
  if (rows.length > 0) yield rows;
}

/** @param marked the columns whose values begin with an apostrophe that is none of theirs */
function toRow(header: TableHeader, cells: string[], number: number, marked: number[]): SourceRow {
  const { columns } = header;
  if (cells.length !== columns.length && !isOverlongByBlanks(columns, cells)) {
    return brokenRow(number, `${cells.length} values for ${columns.length} columns`, cells.map(decodeLatin1Text).join(','));
  }
  if (header.isAgain(cells)) return brokenRow(number, noParcel.header, cells.join(','));
  const values = columns.map((_, i) => decodeLatin1Text(withoutFormula(cells[i]!)));
  for (const i of marked) values[i] = values[i]!.replace(/^'/, '');
  return new ListedRow(number, { columns, values }, null);
}

/**
 * The lines that the parser took for one, since behind those that end in CR LF they end in LF, as in files put together: where each
 * should end, a value holds an LF. Null: it is one.
 */
function linesWithin(values: string[], columnCount: number): string[][] | null {
  if (columnCount === 1 || values.length <= columnCount || (values.length - 1) % (columnCount - 1) !== 0) return null;
  const lines: string[][] = [];
  let line: string[] = [];
  for (const [i, value] of values.entries()) {
    if (i === 0 || i % (columnCount - 1) !== 0) {
      line.push(value);
      continue;
    }
    const ends = value.split('\n').map(withoutQuotes);
    const isLast = i === values.length - 1;
    if (ends.length !== 2 && !(isLast && ends.length === 1)) return null;
    lines.push([...line, ends[0]!]);
    line = [ends[1]!];
  }
  return lines;
}

const strayQuotes = 'A quote stands where none belongs: one value holds the lines down to the next quote';
// By chance, text in several lines has as many where they should stand.
const enoughDelimiters = 8;

/** Whether one of the values is what is left of its line, whole lines, and the first part of another. */
function isOfStrayQuotes(values: string[], columnCount: number, delimiter: string): boolean {
  return values.some((value, place) => {
    const lines = value.split('\n');
    const expected = (i: number) => (i === 0 ? columnCount - 1 - place : i === lines.length - 1 ? place : columnCount - 1);
    return (
      (lines.length - 1) * (columnCount - 1) >= enoughDelimiters &&
      lines.every((line, i) => line.split(delimiter).length - 1 === expected(i))
    );
  });
}

/** To the parser they are a part of a value within which a line ends. */
const withoutQuotes = (text: string): string => (/^".*"$/.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text);

// Some exporters end each line, but not the header, with a delimiter.
function isOverlongByBlanks(columns: string[], values: string[]): boolean {
  return values.length > columns.length && values.slice(columns.length).every((value) => value.trim() === '');
}

// Excel's own first line, `sep=;`.
function isDelimiterLine(values: string[]): boolean {
  return /^sep=.?$/i.test(values[0]!) && values.slice(1).every((value) => value === '');
}

function countInnerLines(values: string[]): { all: number; crlf: number } {
  const counts = { all: 0, crlf: 0 };
  for (const value of values) {
    if (!value.includes('\n')) continue;
    counts.all += value.split('\n').length - 1;
    counts.crlf += value.split('\r\n').length - 1;
  }
  return counts;
}

interface TableLayout {
  delimiter: string;
  /** What values are enclosed in. */
  quote: string;
  /** Of most of the first lines. */
  columnCount: number;
  /** Of all of them. */
  isOfOneCount: boolean;
  /** None: the first that the parser finds. */
  lineEnds: string[];
  firstLines: string[];
}

// By a comma in the names of owners, many lines may have two cells.
const fewColumns = 2;

/** Nobody can say where columns end that nothing but blanks stand between: a column may be full in one row, and blank in the next. */
function refuseFixedWidths(name: string, { columnCount, isOfOneCount, firstLines }: TableLayout): void {
  if (columnCount > fewColumns || (columnCount > 1 && isOfOneCount)) return;
  const startsAt = new Map<number, number>();
  for (const line of firstLines) {
    for (const { index, 0: blanks } of line.matchAll(/ {2,}(?=\S)/g)) {
      startsAt.set(index + blanks.length, (startsAt.get(index + blanks.length) ?? 0) + 1);
    }
  }
  if ([...startsAt.values()].filter((count) => count * 2 > firstLines.length).length <= fewColumns) return;
  throw new AppError(
    'invalid_request',
    `${name} seems to have columns of fixed widths: open it in Excel (Data, From Text), say where they end and that they are text, and save it as CSV.`,
  );
}

/**
 * The delimiter that cuts, outside of quotes, the most lines into the same number of pieces, and into the more the better: by one that
 * also stands within values, lines are cut differently.
 */
function layoutOf(text: string): TableLayout {
  const lines = text.split(/\r?\n|\r/).filter((line) => line.trim() !== '' && !/^sep=.$/i.test(line));
  const quote = quoteOf(lines.slice(0, linesLookedAt));
  const quoted = new RegExp(`${quote}[^${quote}]*${quote}`, 'g');
  const plain = lines.slice(0, linesLookedAt).map((line) => line.replace(quoted, ''));
  const layouts = delimiters.map((delimiter) => {
    const counts = plain.map((line) => line.split(delimiter).length);
    const columnCount = commonestCount(counts);
    const lineCount = counts.filter((count) => count === columnCount).length;
    return {
      delimiter,
      columnCount,
      isOfOneCount: lineCount === counts.length,
      weight: columnCount === 1 ? 0 : columnCount * lineCount ** 2,
    };
  });
  const { delimiter, columnCount, isOfOneCount } = layouts.reduce((best, layout) => (layout.weight > best.weight ? layout : best));
  return {
    delimiter,
    quote,
    columnCount,
    isOfOneCount,
    lineEnds: lineEndsOf(text.replace(quoted, 'text'), delimiter, columnCount),
    firstLines: lines.slice(0, linesLookedAt),
  };
}

/** An apostrophe where most lines have values in apostrophes, and none in quotes: within a text, and before one in Excel, it stands alone. */
function quoteOf(lines: string[]): string {
  const edge = `[${delimiters.join('')}]`;
  const linesWith = (quote: string) => {
    const enclosed = new RegExp(`(?:^|${edge})${quote}[^${quote}]*${quote}(?=${edge}|$)`);
    return lines.filter((line) => enclosed.test(line)).length;
  };
  return linesWith("'") * 2 > lines.length && linesWith('"') === 0 ? "'" : '"';
}

/**
 * Behind lines that end in LF those of another file may end in CR LF, but not the other way: there an LF alone is within a value, unless
 * what ends in CR LF is a title.
 */
function lineEndsOf(plain: string, delimiter: string, columnCount: number): string[] {
  const lines = [...plain.matchAll(/([^\r\n]*)(\r?\n|\r)/g)].slice(0, linesLookedAt);
  const header = lines.find(([, line]) => !isTitle(line!.split(delimiter), columnCount));
  return lines[0]?.[2] === '\n' || header?.[2] === '\n' ? ['\r\n', '\n'] : [];
}
