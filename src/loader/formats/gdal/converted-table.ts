import sqlite from 'node-sqlite3-wasm';
import { convertedTable, domainSuffix } from './conversion.js';

/** Names the columns of a domain's words as people do (`USE_CODE_DESCRIPTION`). @returns how many rows the table has */
export function finishTable(path: string): number {
  const db = new sqlite.Database(path);
  try {
    const columns = (db.all(`pragma table_info("${convertedTable}")`) as { name: string }[]).map(({ name }) => name);
    for (const column of columns) {
      const [words, description] = [`${column}${domainSuffix}`, `${column}_DESCRIPTION`];
      if (columns.includes(words) && !columns.includes(description))
        db.exec(`alter table "${convertedTable}" rename column ${quoted(words)} to ${quoted(description)}`);
    }
    return (db.get(`select count(*) as count from "${convertedTable}"`) as { count: number }).count;
  } finally {
    db.close();
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
