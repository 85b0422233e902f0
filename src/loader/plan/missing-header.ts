import { refusal } from '../../core/errors.js';
import { type SampledColumn, sampleColumns, shareLike } from '../columns/sampled-column.js';
import { fitOf } from '../columns/value-fit.js';
import type { Source } from '../formats/source.js';
import type { SourceRow } from '../formats/source-row.js';

const shownCells = 3;
const shownLetters = 30;
/** A value without letters: an amount, a date, a parcel number, a ZIP code. */
const numeric = /^(?=\D*\d)[\d\s.,/:$()#-]+$/;
const year = /^(1[6-9]|20)\d\d$/;

/**
 * Refuses a table whose first line is a record: its values would become column names, and the record would be lost.
 * @throws AppError when half of the column names look like the values below them, or one is a shape
 */
export function refuseMissingHeader({ format, name }: Source, sample: SourceRow[]): void {
  if (format !== 'CSV' && format !== 'Excel workbook') return;
  const columns = sampleColumns(sample.filter(({ fault }) => fault === null).map(({ properties }) => properties));
  const named = columns.filter(({ name }) => !/^column_\d+$/.test(name));
  const alike = named.filter((column) => isLikeItsValues(column, columns.length));
  const isSure = (alike.length > 1 && alike.length * 2 >= named.length) || named.some(({ name }) => isShape(name));
  if (!isSure) return;
  const shown = named.slice(0, shownCells).map((column) => `"${column.name.slice(0, shownLetters)}"`);
  throw refusal(
    `The first line of ${name} looks like data (${[...shown, ...(named.length > shownCells ? ['…'] : [])].join(', ')}), not like names of ` +
      'columns. Add a line of names above it (such as APN, OWNER_NAME, SITUS_ADDRESS), and load it again. ' +
      'If these are names, map the columns with --map.',
  );
}

/** The name repeats as a value, or is a number above numbers. Years and column numbers are legitimate names. */
function isLikeItsValues(column: SampledColumn, columnCount: number): boolean {
  const { name, values } = column;
  if (values.includes(name)) return true;
  const cell = name.replace(/_\d+$/, ''); // of columns of one name
  return numeric.test(cell) && !year.test(cell) && !(Number(cell) <= columnCount) && shareLike(column, numeric) > 0.8;
}

const isShape = (text: string): boolean => fitOf('geometry', { name: text, plain: text, values: [text], rowCount: 1 }) === 'fits';
