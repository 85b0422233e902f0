import { type CustomTypesConfig, types } from 'pg';

const date = 1082;

/** A `date` stays the text that it is ('2014-01-31'): as a JavaScript Date it would move with the server's time zone. */
export const typeParsers = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === date && format !== 'binary' ? (text: string) => text : types.getTypeParser(oid, format as 'text'),
} as CustomTypesConfig;
