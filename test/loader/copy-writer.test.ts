import type { Client } from 'pg';
import { connectAlone } from '../../src/database/service-client.js';
import { CopyWriter } from '../../src/loader/staging/copy-writer.js';
import { closeAtEnd } from '../harness/closing.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';

const copyRows = 'copy row_of_text from stdin';

let db: TestDatabase;
let connection: Client;
beforeAll(async () => {
  db = await createTestDatabase('template0');
  await db.query('create table row_of_text (value text)');
  await db.query('grant insert on row_of_text to public');
});
beforeEach(async () => {
  connection = await connectAlone(db.url, 'load');
  closeAtEnd(() => connection.end());
});

async function breakConnection(): Promise<void> {
  const broken = new Promise((resolve) => connection.once('end', resolve));
  const own = `datname = current_database() and application_name = 'parcel-records load'`;
  await db.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${own}`);
  await broken;
}

describe('a COPY whose connection breaks', () => {
  it('before it begins fails with its first rows', async () => {
    await breakConnection();
    const copy = new CopyWriter(connection, copyRows);
    await new Promise(setImmediate);
    await expect(copy.write(Buffer.from('1\n'))).rejects.toThrow(/connection/i);
    await copy.abort();
  });

  it('between some rows and the next fails with these, and says why', async () => {
    const copy = new CopyWriter(connection, copyRows);
    await copy.write(Buffer.from('1\n'));
    await breakConnection();
    await expect(copy.write(Buffer.from('2\n'))).rejects.toThrow(/terminat/i);
    await copy.abort();
  });

  it('behind its last rows fails when it is to end', async () => {
    const copy = new CopyWriter(connection, copyRows);
    await copy.write(Buffer.from('1\n'));
    await breakConnection();
    await expect(copy.finish()).rejects.toThrow(/terminat/i);
    expect(await db.query('select from row_of_text')).toEqual([]);
  });
});
