import type { Properties } from '../source.js';
import { endOfEnvelope } from './json-crs.js';

/** The columns that Esri's JSON declares as dates, before its features or after them. */
export function esriDateColumns(head: string, tail: string): string[] {
  const declared = head.slice(0, endOfEnvelope(head)) + tail.slice(tail.lastIndexOf('"fields"'));
  const fields = declared.match(/\{[^{}]*"type"\s*:\s*"esriFieldTypeDate"[^{}]*/g) ?? [];
  return fields.flatMap((field) => /"name"\s*:\s*"([^"]*)"/.exec(field)?.[1] ?? []);
}

/** Writes out the milliseconds since 1970 of such columns: by themselves, those of the seventies would look like seconds. */
export function writeOutDates(properties: Properties, columns: string[]): void {
  for (const column of columns) {
    const value = properties[column];
    const date = new Date(typeof value === 'number' ? value : Number.NaN);
    if (!Number.isNaN(date.getTime())) properties[column] = date.toISOString();
  }
}
