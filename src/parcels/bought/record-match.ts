import { literally } from '../../core/parameters.js';

/** A condition of SQL for a row of `parcel`, whose values come as parameters. */
export type Condition = (value: (value: unknown) => string) => string;

/**
 * Finds records by a part of their parcel number, by words of their situs address, or by a box; null for an empty text. Reads only the part
 * of a record's text that it needs: parsing shapes would take most of the time.
 */
export function matchOf(search: string | null | undefined): Condition | null {
  const text = search?.trim();
  if (!text) return null;
  const box = boxOf(text);
  if (box) {
    const place = partOf('latitude', 'geometry');
    return (value) => {
      const [west, south, east, north] = box.map((degrees) => `${value(degrees)}::double precision`);
      const within = (key: string, from: string, to: string) => `(${place} ->> '${key}')::double precision between ${from} and ${to}`;
      return `${within('latitude', south!, north!)} and ${within('longitude', west!, east!)}`;
    };
  }
  const number = text.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase();
  const words = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const address = partOf('situs_address', 'use_code');
  return (value) => {
    const isNumber = () => `upper(regexp_replace(apn, '[^[:alnum:]]', '', 'g')) like ${value(`%${number}%`)}`;
    const hasWords = `lower(concat_ws(' ', ${address} ->> 'situs_address', ${address} ->> 'situs_city', ${address} ->> 'situs_zip'))
      like all (${value(words.map((word) => `%${literally(word)}%`))}::text[])`;
    return number ? `(${isNumber()} or ${hasWords})` : hasWords;
  };
}

/** West, south, east and north, if a text is a box. */
function boxOf(text: string): number[] | null {
  const parts = text.split(/\s*,\s*/);
  if (parts.length !== 4 || !parts.every((part) => /^-?\d+(\.\d+)?$/.test(part))) return null;
  return parts.map(Number);
}

/** The fields from `first` to the one before `after`, as JSON. No value contains `,"`, because quotes within strings are escaped. */
const partOf = (first: string, after: string): string =>
  `('{"${first}":' || split_part(split_part(record, ',"${first}":', 2), ',"${after}":', 1) || '}')::json`;
