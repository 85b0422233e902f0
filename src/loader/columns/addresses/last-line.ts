import { states } from '../../../counties/states.js';
import { hasLeadingZeroZips } from '../../values/values.js';
import type { MappableField } from '../fields.js';
import { stateCodes } from './zip-states.js';

/** Whether a text is the last line of an address: city, state and ZIP code, or city and state. */
export const isLastLine = (text: string): boolean =>
  /(^|[\s,])([a-z]{2}|[a-z]{4,})[\s,.]+\d{5}(-?\d{4}|-)?$/i.test(text) ||
  stateCodes.has(/^\D+[\s,]([a-z]{2})$/i.exec(text)?.[1]?.toUpperCase() ?? '');

export interface LastLine {
  city: string | null;
  state: string | null;
  zip: string | null;
}

/** The part of an address's last line that a field is. */
export const linePartOf: Partial<Record<MappableField, keyof LastLine>> = {
  mail_city: 'city',
  mail_state: 'state',
  mail_zip: 'zip',
  situs_city: 'city',
  situs_zip: 'zip',
};

// The expressions below take quadratic time on long runs of spaces.
const longestRead = 100;
const military = new Set(['AA', 'AE', 'AP']);

/**
 * Parses a last line: `CAMBRIDGE, MA 02139`, `Cambridge MA 021391234`, `CAMBRIDGE,MA`, `MA 2139`, with or without `USA` at the end. Null
 * for any other text. A text without a state is ambiguous: `PARIS FRANCE 75001`, `KANSAS CITY 66101`. A state's full name counts only after
 * a comma: `BOSTON, MASSACHUSETTS 02108`.
 */
export function lastLineOf(text: string): LastLine | null {
  if (text.length > longestRead) return null;
  const line = text.replace(/[\s,]+(usa?|u\.s\.a?\.?|united states( of america)?)$/i, '');
  const [, before = '', zip = null] = /^(.*?)[\s,.]*(\d{4,5}(?:[- ]?\d{4}|-)?)?$/.exec(line) ?? [];
  const [, place, state] = /^(?:(.*?)[\s,.]+)?([a-z]{2})$/i.exec(before) ?? /^([^,]+),\s*([a-z][a-z ]{3,})$/i.exec(before) ?? [];
  if (state === undefined || !isState(state) || /[\d,/&%#]/.test(place ?? '')) return null;
  if (/^\d{4}(\d{4})?(?!\d)/.test(zip ?? '') && !hasLeadingZeroZips(state)) return null;
  return { city: place?.replace(/[\s,.]+$/, '') || null, state, zip };
}

/**
 * An address in one text, parted at the comma before its last line, or at the spaces before a city with its ZIP code:
 * `7 PINE ST, DALLAS, TX 75201`, `7 PINE ST   DALLAS  75201`. Null for any other text.
 */
export function wholeAddressOf(text: string): { street: string; line: LastLine } | null {
  for (let comma = text.indexOf(','); comma > 0; comma = text.indexOf(',', comma + 1)) {
    const line = lastLineOf(text.slice(comma + 1).trim());
    if (line?.city && line.zip) return { street: text.slice(0, comma).trim(), line };
  }
  const [, street, city, zip] = (text.length <= longestRead && /^(\d.*?\S)\s{2,}(\D*\S)\s+(\d{5}(?:-\d{4})?)$/.exec(text)) || [];
  return street === undefined ? null : { street, line: { city: city!, state: null, zip: zip! } };
}

const isState = (text: string): boolean =>
  text.length === 2
    ? stateCodes.has(text.toUpperCase()) || military.has(text.toUpperCase())
    : stateNames.has(text.toUpperCase().replace(/\s+/g, ''));

const stateNames = new Set(Object.values(states).map(([, name]) => name.toUpperCase().replaceAll(' ', '')));
