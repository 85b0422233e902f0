import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { isUUID as isUuid } from 'class-validator';
import type { RequestHandler } from 'express';
import type { Pool } from 'pg';
import { AppError } from '../../core/errors.js';
import type { Task } from '../../jobs/task.js';

export interface Upload {
  id: string;
  fileName: string;
  bytes: number;
}

const maxFileBytes = 4 * 1024 ** 3;
const maxNameBytes = 200;
const chunkBytes = 512 * 1024;
const deletedAtOnce = 100;
const kept = '1 day';
// Nothing arrives for longer than `idleTimeoutMs` only if the server was killed.
const incompleteKept = '5 minutes';
const diskFull = '53100';

const tooLarge = () => new AppError('payload_too_large', 'The file is too large to upload. Load it on the command line.');

/**
 * County files that operators uploaded, in the database, where every server finds them. Each chunk is a transaction of its own: a long one
 * would keep Postgres from cleaning up the balances' rows.
 */
export class UploadStore {
  constructor(
    private readonly pool: Pool,
    /** The limit for all uploads together. */
    private readonly maxBytes: number,
  ) {}

  /**
   * Stores a file. It becomes an upload once it is complete.
   * @param length as the sender states it; 0: unknown
   * @throws AppError payload_too_large beyond the limit, invalid_request for an empty file, unavailable when there is no room
   */
  async receive(name: string, content: Readable, length = 0): Promise<Upload> {
    if (length > maxFileBytes) throw tooLarge();
    const { rows } = await this.pool.query<Pick<Upload, 'id' | 'fileName'>>(
      `insert into upload (file_name) select $1 where (select coalesce(sum(bytes), 0) from upload) + $2::bigint <= $3
       returning id, file_name as "fileName"`,
      [safeName(name), length, this.maxBytes],
    );
    if (!rows[0]) throw this.noRoom();
    const { id, fileName } = rows[0];
    try {
      const bytes = await this.write(id, content);
      if (bytes === 0) throw new AppError('invalid_request', 'The file is empty.');
      await this.pool.query('update upload set is_complete = true where id = $1', [id]);
      return { id, fileName, bytes };
    } catch (error) {
      await this.remove(id).catch(() => {}); // `prune` repeats it
      if ((error as { code?: string }).code !== diskFull) throw error;
      throw new AppError('unavailable', 'There is no space left for this file in the database.', { cause: error });
    }
  }

  /** @throws AppError not_found */
  async require(id: string): Promise<Upload> {
    const { rows } = isUuid(id)
      ? await this.pool.query<Upload>(
          `select id, file_name as "fileName", bytes::float as bytes from upload where id = $1 and is_complete`,
          [id],
        )
      : { rows: [] };
    if (!rows[0]) throw new AppError('not_found', 'This upload does not exist or is no longer kept. Upload the file again.');
    return rows[0];
  }

  async *read(id: string): AsyncIterable<Buffer> {
    for (let number = 0; ; number++) {
      const { rows } = await this.pool.query<{ content: Buffer }>('select content from upload_chunk where upload_id = $1 and number = $2', [
        id,
        number,
      ]);
      if (!rows[0]) return;
      yield rows[0].content;
    }
  }

  async remove(id: string): Promise<void> {
    await this.pool.query('delete from upload where id = $1', [id]);
    await this.removeChunks(id);
  }

  /** Deletes uploads after a day, and what killed servers left of uploads and removals. */
  async prune(): Promise<void> {
    await this.pool.query(
      `delete from upload where changed_at < service_now() - case when is_complete then $1::interval else $2::interval end`,
      [kept, incompleteKept],
    );
    const { rows } = await this.pool.query<{ id: string }>(
      `select distinct upload_id as id from upload_chunk c where not exists (select from upload u where u.id = c.upload_id)`,
    );
    for (const { id } of rows) await this.removeChunks(id);
  }

  private async write(id: string, content: Readable): Promise<number> {
    let number = 0;
    let bytes = 0;
    for await (const chunk of inChunks(content)) {
      bytes += chunk.length;
      if (bytes > maxFileBytes) throw tooLarge();
      const { rowCount } = await this.pool.query(
        `with counted as (
           update upload set bytes = bytes + length($3::bytea), changed_at = service_now()
            where id = $1 and (select sum(bytes) from upload) + length($3::bytea) <= $4
           returning id
         )
         insert into upload_chunk (upload_id, number, content) select id, $2, $3 from counted`,
        [id, number++, chunk, this.maxBytes],
      );
      if (rowCount === 0) throw this.noRoom();
    }
    return bytes;
  }

  // A file of 4 GB has two million rows of Postgres' own: more than a request may delete at once.
  private async removeChunks(id: string): Promise<void> {
    const query =
      'delete from upload_chunk where upload_id = $1 and number in (select number from upload_chunk where upload_id = $1 limit $2)';
    while ((await this.pool.query(query, [id, deletedAtOnce])).rowCount) {}
  }

  private noRoom(): AppError {
    const text = `Uploads waiting to be loaded may take up ${Math.round(this.maxBytes / 1024 ** 2)} MB in total (UPLOADS_MAX_MB).`;
    return new AppError('unavailable', `${text} Load those first, wait a day, or load the file on the command line.`);
  }
}

export const pruneUploads = (uploads: UploadStore): Task<'prune-uploads'> => ({
  name: 'prune-uploads',
  timeLimitSeconds: 600,
  run: () => uploads.prune(),
});

/** A stream in pieces of one size. Does not end the request, which is to be answered. */
async function* inChunks(content: Readable): AsyncIterable<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const part of content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    parts.push(part);
    length += part.length;
    if (length < chunkBytes) continue;
    yield Buffer.concat(parts);
    [parts, length] = [[], 0];
  }
  if (length > 0) yield Buffer.concat(parts);
}

/** A file name without path separators. It stays readable, because it is shown as the source of records. */
function safeName(name: string): string {
  const plain = basename(name.replaceAll('\\', '/')).replace(/[^\p{L}\p{N}._-]+/gu, '_');
  return lastBytes(plain.replace(/^\.+/, '')) || 'upload';
}

/** The end of a name, with its extension, within the 255 bytes that file systems allow. */
function lastBytes(name: string): string {
  const bytes = Buffer.from(name).subarray(-maxNameBytes);
  // Bytes that begin with 10 continue a character that was cut.
  return bytes.subarray(bytes.findIndex((byte) => byte >> 6 !== 0b10)).toString();
}

const idleTimeoutMs = 60_000;

/** `PUT /admin/uploads/:fileName`: stores the body as it arrives. For operators only, see `app.ts`. */
export function uploadHandler(uploads: UploadStore): RequestHandler<{ fileName: string }> {
  return async (request, response) => {
    // Limits how long nothing arrives, not the total time.
    request.setTimeout(idleTimeoutMs, () => request.destroy());
    const length = Number(request.headers['content-length'] ?? 0);
    const { id, fileName, bytes } = await uploads.receive(request.params.fileName, request, length);
    response.status(201).json({ upload_id: id, file_name: fileName, bytes });
  };
}
