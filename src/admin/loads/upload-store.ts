import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RequestHandler } from 'express';
import { validate as isUuid } from 'uuid';
import { AppError } from '../../core/errors.js';

export interface Upload {
  id: string;
  fileName: string;
  bytes: number;
}

const keptMs = 24 * 60 * 60 * 1000;
const incompleteSuffix = '.part';
const maxNameBytes = 200;

/** County files uploaded to this server, each in a folder named after the upload's id. */
export class UploadStore {
  private readonly folder: string;

  constructor(
    dataDir: string,
    readonly maxBytes: number,
  ) {
    this.folder = join(dataDir, 'uploads');
  }

  /**
   * Stores a file. It becomes an upload once it is complete.
   * @throws AppError payload_too_large beyond the limit, invalid_request for an empty file, unavailable when the disk is full
   */
  async receive(name: string, content: Readable): Promise<Upload> {
    const [id, fileName] = [randomUUID(), safeName(name)];
    const part = join(this.folder, id + incompleteSuffix);
    await mkdir(part, { recursive: true });
    try {
      const count = new ByteCount(this.maxBytes);
      await pipeline(content, count, createWriteStream(join(part, fileName)));
      if (count.bytes === 0) throw new AppError('invalid_request', 'The file is empty.');
      await rename(part, join(this.folder, id));
      return { id, fileName, bytes: count.bytes };
    } catch (error) {
      await rm(part, { recursive: true, force: true });
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') {
        throw new AppError('unavailable', 'There is no room left for this file on the server.', { cause: error });
      }
      throw error;
    }
  }

  /** The path of an upload; null if it is not on this server. */
  async find(id: string): Promise<string | null> {
    if (!isUuid(id)) return null;
    const names = await readdir(join(this.folder, id)).catch(() => []);
    return names[0] === undefined ? null : join(this.folder, id, names[0]);
  }

  /** @throws AppError not_found */
  async require(id: string): Promise<string> {
    const path = await this.find(id);
    if (!path) throw new AppError('not_found', 'There is no such upload on this server, or it is no longer kept. Send the file again.');
    return path;
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.folder, id), { recursive: true, force: true });
  }

  /** Deletes uploads, and remains of incomplete ones, after a day. */
  async prune(): Promise<void> {
    for (const name of await readdir(this.folder).catch(() => [])) {
      const { mtimeMs } = await stat(join(this.folder, name));
      if (mtimeMs < Date.now() - keptMs) await this.remove(name);
    }
  }
}

class ByteCount extends Transform {
  bytes = 0;

  constructor(private readonly maxBytes: number) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: Error | null, chunk?: Buffer) => void): void {
    this.bytes += chunk.length;
    if (this.bytes <= this.maxBytes) done(null, chunk);
    else done(new AppError('payload_too_large', 'The file is too large to upload. Load it on the command line.'));
  }
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

/** `PUT /admin/uploads/:fileName`: writes the body to disk as it arrives. For operators only, see `app.ts`. */
export function uploadHandler(uploads: UploadStore): RequestHandler<{ fileName: string }> {
  return async (request, response) => {
    if (Number(request.headers['content-length'] ?? 0) > uploads.maxBytes) {
      throw new AppError('payload_too_large', 'The file is too large to upload. Load it on the command line.');
    }
    // Limits how long nothing arrives, not the total time.
    request.setTimeout(idleTimeoutMs, () => request.destroy());
    const { id, fileName, bytes } = await uploads.receive(request.params.fileName, request);
    response.status(201).json({ upload_id: id, file_name: fileName, bytes });
  };
}
