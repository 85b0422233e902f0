import type { ClientBase, Pool } from 'pg';

/** Stores rows that a load rejected, as lines of JSON. */
export async function storeRejectedRows(db: ClientBase, releaseId: number, lines: AsyncIterable<Buffer>): Promise<void> {
  let number = 0;
  for await (const part of lines) {
    await db.query('insert into rejected_rows (release_id, number, lines) values ($1, $2, $3)', [releaseId, number++, part]);
  }
}

/** The lines of a release's rejected rows, read part by part. */
export async function* rejectedLines(pool: Pool, releaseId: number): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let text = '';
  for (let number = 0; ; number++) {
    const { rows } = await pool.query<{ lines: Buffer }>('select lines from rejected_rows where release_id = $1 and number = $2', [
      releaseId,
      number,
    ]);
    if (!rows[0]) return;
    // Not by `readline`, which also ends a line at U+2028, as a value may contain it.
    const lines = (text + decoder.decode(rows[0].lines, { stream: true })).split('\n');
    text = lines.pop()!;
    yield* lines;
  }
}
