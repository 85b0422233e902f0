import type { Properties } from '../source-row.js';
import { endOfEnvelope } from './json-crs.js';

/** The columns that Esri JSON declares as dates, before or after its features. */
export function esriDateColumns(head: string, tail: string): string[] {
  const declared = head.slice(0, endOfEnvelope(head)) + tail.slice(tail.lastIndexOf('"fields"'));
  const fields = declared.match(/\{[^{}]*"type"\s*:\s*"esriFieldTypeDate"[^{}]*/g) ?? [];
  return fields.flatMap((field) => /"name"\s*:\s*"([^"]*)"/.exec(field)?.[1] ?? []);
}

/** Turns milliseconds since 1970 into ISO dates. Without the declaration, milliseconds of the 1970s would look like seconds. */
export function formatEsriDates(properties: Properties, columns: string[]): void {
  for (const column of columns) {
    const value = properties[column];
    const date = new Date(typeof value === 'number' ? value : Number.NaN);
    if (!Number.isNaN(date.getTime())) properties[column] = date.toISOString();
  }
}
