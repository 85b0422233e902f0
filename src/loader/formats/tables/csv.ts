import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { type CsvError, parse } from 'csv-parse';
import iconv from 'iconv-lite';
import { refusal } from '../../../core/errors.js';
import { ColumnarRow } from '../columnar-row.js';
import { readChunks, readEdge } from '../read-chunks.js';
import { fileSource, type Source } from '../source.js';
import { brokenRow, type ReadPosition, rowsPerBatch, type SourceBatch, type SourceRow } from '../source-row.js';
import { decodeLatin1Text, wideEncodingOf } from '../text-encoding.js';
import { detectLayout, refuseFixedWidths, type TableLayout } from './csv-layout.js';
import { FooterRows, nonParcelReasons } from './footer-rows.js';
import { apostropheColumns, mayHaveApostrophes, stripTextFormula } from './spreadsheet-quoting.js';
import { isTitle, TableHeader } from './table-header.js';

/** Control-Z, DOS's end-of-file mark. */
const endOfFile = '\u001a';

interface CsvLine {
  record: string[];
  info: { lines: number; bytes: number };
}

/** A table with a header line, in any common delimiter and encoding. */
export async function openCsv(path: string): Promise<Source> {
  const head = await readEdge(path, 64 * 1024, 'head');
  const wideEncoding = wideEncodingOf(head);
  const text = wideEncoding ? iconv.decode(head, wideEncoding) : head.toString('latin1');
  const layout = detectLayout(text);
  refuseFixedWidths(basename(path), layout);
  const tail = (await readEdge(path, 2, 'tail')).toString('latin1');
  const read = (position: ReadPosition, marked: number[]) => readTable(path, position, layout, wideEncoding, /[\r\n]/.test(tail), marked);
  const marked = mayHaveApostrophes(text) ? await apostropheColumns(read({ bytesRead: 0 }, [])) : [];
  return fileSource(path, { format: 'CSV', read: (position) => read(position, marked) });
}

async function* readTable(
  path: string,
  position: ReadPosition,
  { delimiter, quote, columnCount, lineEnds, header: firstHeader }: TableLayout,
  wideEncoding: string | undefined,
  isLastLineEnded: boolean,
  marked: number[],
): AsyncIterable<SourceBatch> {
  // Progress counts parsed bytes, because the parser lags many lines behind the reader. For UTF-16, which is recoded, it counts bytes read.
  const readPosition = wideEncoding ? position : { bytesRead: 0 };
  const bytes = Readable.from(readChunks(path, readPosition), { objectMode: false });
  const text = wideEncoding ? bytes.pipe(iconv.decodeStream(wideEncoding)).pipe(iconv.encodeStream('utf8')) : bytes;
  // Latin-1 keeps every byte: one file may hold values in two encodings.
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
      // Without a limit, an unclosed quote would turn the rest of the file into one record.
      max_record_size: 32 * 1024 * 1024,
    }),
  );
  // pipe() does not forward errors.
  bytes.on('error', (error) => parser.destroy(error));
  let header: TableHeader | undefined;
  let footer = new FooterRows(0);
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
        header = firstHeader ?? new TableHeader(values);
        footer = new FooterRows(header.columns.length, decodeLatin1Text);
        continue;
      }
      const innerLines = countInnerLines(values);
      // The parser counts a quoted CR LF as two lines.
      miscountedLines += innerLines.crlf;
      lastLine = info.lines - miscountedLines;
      const lines = splitMergedLines(values, header.columns.length);
      // The parser does not count a line after an LF at the very end.
      const first = lastLine - innerLines.all + (lines && values.at(-1)!.endsWith('\n') ? 1 : 0);
      if (innerLines.all > 0 && hasStrayQuote(values, header.columns.length, delimiter)) {
        rows.push(brokenRow(first, strayQuote, values.map(decodeLatin1Text).join(delimiter)));
      } else if (lines) {
        for (const [i, line] of lines.entries()) rows.push(...footer.add(toRow(header, line, first + i, marked), line));
      } else rows.push(...footer.add(toRow(header, values, first, marked), values, lastLine));
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
      throw refusal(
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
  if (lastShortLine !== undefined && !isLastLineEnded) throw refusal(`The file is cut: it ends within line ${lastShortLine}.`);
  countParsed(readPosition.bytesRead);
  rows.push(...footer.end());
  if (rows.length > 0) yield rows;
}

/** @param marked the columns whose values have a spreadsheet's apostrophe in front */
function toRow(header: TableHeader, cells: string[], number: number, marked: number[]): SourceRow {
  const { columns } = header;
  if (cells.length !== columns.length && !hasOnlyBlankExtras(columns, cells)) {
    return brokenRow(number, `${cells.length} values for ${columns.length} columns`, cells.map(decodeLatin1Text).join(','));
  }
  if (header.isRepeatedBy(cells)) return brokenRow(number, nonParcelReasons.header, cells.join(','));
  const values = columns.map((_, i) => decodeLatin1Text(stripTextFormula(cells[i]!)));
  for (const i of marked) values[i] = values[i]!.replace(/^'/, '');
  return new ColumnarRow(number, { columns, values }, null);
}

/**
 * Splits lines that the parser read as one because they end in LF after lines that end in CR LF, as in concatenated files: the value at
 * each line's end then contains an LF. Null if it is one line.
 */
function splitMergedLines(values: string[], columnCount: number): string[][] | null {
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

const strayQuote = 'A stray quote: one value holds all lines up to the next quote';
// With fewer delimiters, text in several lines may fit by chance.
const enoughDelimiters = 8;

/** Whether a value consists of the rest of its line, whole lines, and the start of another: each with the expected delimiters. */
function hasStrayQuote(values: string[], columnCount: number, delimiter: string): boolean {
  return values.some((value, place) => {
    const lines = value.split('\n');
    const expected = (i: number) => (i === 0 ? columnCount - 1 - place : i === lines.length - 1 ? place : columnCount - 1);
    return (
      (lines.length - 1) * (columnCount - 1) >= enoughDelimiters &&
      lines.every((line, i) => line.split(delimiter).length - 1 === expected(i))
    );
  });
}

/** Removes quotes that the parser left in a value because the value contains a line end. */
const withoutQuotes = (text: string): string => (/^".*"$/.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text);

// Some exporters end each line except the header with a delimiter.
function hasOnlyBlankExtras(columns: string[], values: string[]): boolean {
  return values.length > columns.length && values.slice(columns.length).every((value) => value.trim() === '');
}

// Excel's first line, `sep=;`.
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
