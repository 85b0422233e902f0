import { recordFields } from '../../releases/record-fields/record-fields.js';
import { csvField } from '../../usage/ledger-csv.js';
import type { BoughtRun } from './bought.js';
import type { ExaminedRun } from './bought-records.js';

/** How records become a file. */
export interface FileFormat {
  contentType: string;
  /** @param notKept what is missing: a file names it, so that none looks complete and is not */
  textOf(notKept: BoughtRun[]): FileText;
}

interface FileText {
  head: string;
  /** @param text a record's JSON text */
  record(text: string): string;
  separator: string;
  tail: string;
}

const notAvailable = 'not_available';

const csv: FileFormat = {
  contentType: 'text/csv; charset=utf-8; header=present',
  textOf: (notKept) => {
    const fields: string[] = [...recordFields, ...(notKept.length > 0 ? [notAvailable] : [])];
    const line = (values: Record<string, string | number | null>) =>
      `${fields.map((field) => csvField(values[field] ?? null)).join(',')}\r\n`;
    const missing = notKept.map(({ countyFips, releaseId, first, count }) =>
      line({ county_fips: countyFips, release_id: releaseId, [notAvailable]: `${count} records from ordinal ${first} on` }),
    );
    return {
      head: `${fields.join(',')}\r\n`,
      record: (text) => {
        const { geometry, others } = splitAtGeometry(text);
        return line({ ...JSON.parse(others), geometry: geometry === 'null' ? null : geometry });
      },
      separator: '',
      tail: missing.join(''),
    };
  },
};

const ndjson: FileFormat = {
  contentType: 'application/x-ndjson; charset=utf-8',
  textOf: (notKept) => ({
    head: '',
    record: (text) => `${text}\n`,
    separator: '',
    tail: notKept.length > 0 ? `{"${notAvailable}":${listed(notKept)}}\n` : '',
  }),
};

const geojson: FileFormat = {
  contentType: 'application/geo+json; charset=utf-8',
  textOf: (notKept) => ({
    head: '{"type":"FeatureCollection","features":[\n',
    record: (text) => {
      const { geometry, others } = splitAtGeometry(text);
      const id = text.slice(idStart.length, idStart.length + 36);
      return `{"type":"Feature","id":"${id}","geometry":${geometry},"properties":${others}}`;
    },
    separator: ',\n',
    // RFC 7946 allows other members of the collection.
    tail: notKept.length > 0 ? `\n],"${notAvailable}":${listed(notKept)}}\n` : '\n]}\n',
  }),
};

export const fileFormats = { csv, geojson, ndjson };

export type FileFormatName = keyof typeof fileFormats;

/** The pieces of a file, each made when it is asked for. */
export async function* writeFile(format: FileFormat, examined: AsyncIterable<ExaminedRun>, notKept: BoughtRun[]): AsyncGenerator<string> {
  const { head, record, separator, tail } = format.textOf(notKept);
  if (head) yield head;
  let before = '';
  for await (const { records } of examined) {
    if (records.length === 0) continue;
    yield before + records.map(({ text }) => record(text)).join(separator);
    before = separator;
  }
  if (tail) yield tail;
}

const listed = (notKept: BoughtRun[]): string =>
  JSON.stringify(
    notKept.map(({ countyFips, releaseId, first, count }) => ({
      county_fips: countyFips,
      release_id: releaseId,
      first_ordinal: first,
      count,
    })),
  );

const idStart = '{"parcel_id":"';
const geometryKey = ',"geometry":';
const nextKey = `,"${recordFields[recordFields.indexOf('geometry') + 1]}":`;

/** No value contains `,"`, because quotes within strings are escaped, and no shape has the key of a record. */
function splitAtGeometry(text: string): { geometry: string; others: string } {
  const start = text.indexOf(geometryKey);
  const end = text.indexOf(nextKey, start);
  return { geometry: text.slice(start + geometryKey.length, end), others: text.slice(0, start) + text.slice(end) };
}
