import { stat } from 'node:fs/promises';
import { basename, posix } from 'node:path';
import type { Entry, ZipFile } from 'yauzl';
import { AppError, refusal } from '../../../core/errors.js';
import { openZip, readEntry } from '../archives/zip.js';
import { ColumnarRow } from '../columnar-row.js';
import { type Layer, type LayerChoice, pickLayer } from '../layers.js';
import { fileSource, type Source } from '../source.js';
import { brokenRow, type ReadPosition, type SourceBatch, type SourceRow } from '../source-row.js';
import { type Attributes, type XmlHandler, XmlReader } from '../xml/xml-reader.js';
import { FooterRows, nonParcelReasons } from './footer-rows.js';
import { commonestCount, filledCount, layoutSampleLines, TableHeader } from './table-header.js';
import { type DigitMask, digitMask, unescaped } from './xlsx-text.js';

// Shared strings are kept in memory.
const maxTextBytes = 512 * 1024 ** 2;
const maxRatio = 1000;
const smallBytes = 64 * 1024 ** 2;

interface Sheet extends Layer {
  /** The name of its part in the archive. */
  part: string;
  byteLength: number;
}

type CellStyle = 'day' | DigitMask | null;

interface Workbook {
  sheets: Sheet[];
  texts: string[];
  /** How the cell styles show numbers. */
  styles: CellStyle[];
  /** Whether days are counted from 1904, as in workbooks from old Macs. */
  is1904: boolean;
}

/** An Excel workbook; its sheets are the layers. The first row that is neither blank nor a title is the header. */
export async function openXlsx(path: string, choice: LayerChoice): Promise<Source> {
  const name = basename(path);
  const workbook = await readWorkbook(path, name);
  const sheet = pickLayer(name, workbook.sheets, { ...choice, prefersTable: true });
  const { byteLength } = sheet;
  return fileSource(path, { format: 'Excel workbook', byteLength, read: (position) => readSheet(path, sheet, workbook, position) });
}

async function readWorkbook(path: string, name: string): Promise<Workbook> {
  const { size } = await stat(path);
  using archive = await openZip(path);
  try {
    const entries = new Map<string, Entry>();
    for await (const entry of archive.eachEntry()) entries.set(entry.fileName, entry);
    if (entries.has('xl/workbook.bin')) throw refusal(`${name} is a binary Excel workbook (.xlsb): save it as .xlsx or CSV.`);
    const bytes = [...entries.values()].reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
    if ((bytes > smallBytes && bytes > size * maxRatio) || (entries.get('xl/sharedStrings.xml')?.uncompressedSize ?? 0) > maxTextBytes)
      throw refusal(`${name} is too large for a workbook: save the sheet as CSV.`);
    return await readParts(archive, entries);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw refusal(`${name} is cut or damaged: ${(error as Error).message}.`, { cause: error });
  }
}

async function readParts(archive: ZipFile, entries: Map<string, Entry>): Promise<Workbook> {
  const relations = new Map<string, string>();
  const named: { name: string; relation: string }[] = [];
  const texts: string[] = [];
  const formats = new Map<string, string>();
  const styles: CellStyle[] = [];
  let is1904 = false;
  const read = async (part: string, handler: Partial<XmlHandler>) => {
    const entry = entries.get(part);
    if (!entry) return;
    const reader = new XmlReader({ open: () => {}, close: () => {}, fail: refusePart(part), ...handler });
    for await (const text of textOf(archive, entry)) reader.write(text);
    reader.end();
  };
  await read('xl/_rels/workbook.xml.rels', {
    open: (name, { Id, Target }) => {
      if (name === 'Relationship') relations.set(Id!, posix.join('xl', Target!.replace(/^\/xl\//, '')));
    },
  });
  await read('xl/workbook.xml', {
    open: (name, attributes) => {
      if (name === 'sheet') named.push({ name: attributes.name!, relation: attributes['r:id']! });
      if (name === 'workbookPr') is1904 = ['1', 'true'].includes(attributes.date1904 ?? '');
    },
  });
  await read('xl/sharedStrings.xml', new TextReader('si', (text) => texts.push(text)));
  let isInCellFormats = false;
  await read('xl/styles.xml', {
    open: (name, { numFmtId = '0', formatCode = '' }) => {
      if (name === 'numFmt') formats.set(numFmtId, formatCode);
      if (name === 'cellXfs') isInCellFormats = true;
      if (name === 'xf' && isInCellFormats) styles.push(styleOf(numFmtId, formats.get(numFmtId)));
    },
    close: (name) => {
      if (name === 'cellXfs') isInCellFormats = false;
    },
  });
  const sheets = named.flatMap(({ name, relation }) => {
    const entry = entries.get(relations.get(relation) ?? '');
    return entry ? [{ name, part: entry.fileName, byteLength: entry.compressedSize, isSpatial: false }] : [];
  });
  return { sheets, texts, styles, is1904 };
}

function refusePart(part: string): (reason: string) => never {
  return (reason) => {
    throw refusal(`The workbook is damaged in ${part}: ${reason}.`);
  };
}

async function* textOf(archive: ZipFile, entry: Entry): AsyncIterable<string> {
  const decoder = new TextDecoder();
  for await (const chunk of readEntry(archive, entry)) yield decoder.decode(chunk, { stream: true });
}

/** Whether a format is one of Excel's built-in date formats, or has a year, month or day outside of quotes and colours. */
function isDateFormat(id: string, code: string | undefined): boolean {
  if (code === undefined) return (Number(id) >= 14 && Number(id) <= 17) || id === '22';
  return /[yd]|mmm/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''));
}

function styleOf(id: string, code: string | undefined): CellStyle {
  return isDateFormat(id, code) ? 'day' : digitMask(code ?? '');
}

/** Reports the text of each element, joined from its runs, without phonetic guides. */
class TextReader implements XmlHandler {
  private text = '';
  private isPhonetic = false;

  constructor(
    private readonly element: string,
    private readonly onText: (text: string) => void,
  ) {}

  open = (name: string): void => {
    if (name === this.element) this.text = '';
    if (name === 'rPh') this.isPhonetic = true;
  };

  close = (name: string, text: string): void => {
    if (name === 't' && !this.isPhonetic) this.text += text;
    if (name === 'rPh') this.isPhonetic = false;
    if (name === this.element) this.onText(unescaped(this.text));
  };

  fail = refusePart('its texts');
}

async function* readSheet(path: string, { part }: Sheet, workbook: Workbook, position: ReadPosition): AsyncIterable<SourceBatch> {
  using archive = await openZip(path);
  for await (const entry of archive.eachEntry()) {
    if (entry.fileName !== part) continue;
    const sheet = new SheetReader(workbook);
    const reader = new XmlReader(sheet);
    const share = entry.compressedSize / Math.max(1, entry.uncompressedSize);
    for await (const text of textOf(archive, entry)) {
      reader.write(text);
      position.bytesRead += text.length * share;
      yield sheet.drain();
    }
    reader.end();
    sheet.end();
    yield sheet.drain();
  }
}

const dayMs = 86_400_000;

/** Turns a sheet's cells into rows. */
class SheetReader implements XmlHandler {
  private rows: SourceRow[] = [];
  private number = 0;
  private column = -1;
  private cells: Cell[] = [];
  private type = 'n';
  private style: CellStyle = null;
  private text = '';
  private header: TableHeader | null = null;
  private footer = new FooterRows(0);
  /** The first rows, until the header is found among them. */
  private waiting: { number: number; cells: Cell[] }[] = [];

  constructor(private readonly workbook: Workbook) {}

  open(name: string, { r, t, s }: Attributes): void {
    if (name === 'row') {
      this.number = Number(r ?? this.number + 1);
      this.cells = [];
      this.column = -1;
    } else if (name === 'c') {
      this.column = r ? columnOf(r) : this.column + 1;
      this.type = t ?? 'n';
      this.style = this.workbook.styles[Number(s ?? 0)] ?? null;
      this.text = '';
    }
  }

  close(name: string, text: string): void {
    if (name === 'v') this.text = text;
    else if (name === 't') this.text += text;
    else if (name === 'c' && this.column < maxColumns) this.cells[this.column] = this.value();
    else if (name === 'row') this.endRow();
  }

  fail = refusePart('a sheet');

  end(): void {
    if (this.header === null) this.findHeader();
    this.rows.push(...this.footer.end());
  }

  drain(): SourceRow[] {
    const { rows } = this;
    this.rows = [];
    return rows;
  }

  private value(): Cell {
    const { type, text } = this;
    if (text === '' || type === 'e') return null;
    if (type === 's') return this.workbook.texts[Number(text)] ?? null;
    if (type !== 'n') return unescaped(text);
    const number = Number(text);
    if (this.style === 'day') return this.dayOf(number);
    return this.style?.(number) ?? number;
  }

  /** Excel counts days from the end of 1899, and treats 1900 as a leap year. */
  private dayOf(serial: number): string | null {
    const time =
      Date.UTC(this.workbook.is1904 ? 1904 : 1899, this.workbook.is1904 ? 0 : 11, this.workbook.is1904 ? 1 : 30) + serial * dayMs;
    return Number.isFinite(time) && Math.abs(serial) < 3_000_000 ? new Date(time).toISOString().slice(0, 10) : null;
  }

  private endRow(): void {
    const { cells, number } = this;
    if (!cells.some((cell) => cell !== null && String(cell).trim() !== '')) return;
    if (this.header !== null) {
      this.rows.push(...this.footer.add(this.toRow(this.header, cells, number), cells));
      return;
    }
    this.waiting.push({ number, cells: Array.from(cells, (cell) => cell ?? null) });
    if (this.waiting.length === layoutSampleLines) this.findHeader();
  }

  private findHeader(): void {
    const { waiting } = this;
    const columnCount = commonestCount(waiting.map(({ cells }) => filledCount(cells)));
    const found = TableHeader.among(
      waiting.map(({ cells }) => cells),
      columnCount,
    );
    if (found === null) return; // the sheet is blank
    const { header, first } = found;
    this.footer = new FooterRows(header.columns.length);
    this.rows.push(...waiting.slice(first + 1).flatMap(({ number, cells }) => this.footer.add(this.toRow(header, cells, number), cells)));
    this.header = header;
    this.waiting = [];
  }

  private toRow(header: TableHeader, cells: Cell[], number: number): SourceRow {
    if (header.isRepeatedBy(cells)) return brokenRow(number, nonParcelReasons.header, cells.join(','));
    const { columns } = header;
    return new ColumnarRow(number, { columns, values: columns.map((_, i) => cells[i] ?? null) }, null);
  }
}

type Cell = string | number | null;

// Excel's own limit.
const maxColumns = 16_384;

/** The column index of a cell reference such as AB12. */
function columnOf(reference: string): number {
  let index = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? '') index = index * 26 + letter.charCodeAt(0) - 64;
  return index - 1;
}
