import { type CustomTypesConfig, types } from 'pg';

const date = 1082;

/** Reads a `date` as text ('2014-01-31'): a JavaScript Date would depend on the server's time zone. */
export const typeParsers = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === date && format !== 'binary' ? (text: string) => text : types.getTypeParser(oid, format as 'text'),
} as CustomTypesConfig;
