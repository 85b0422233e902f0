import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../core/errors.js';
import { freeTemporaryBytes, type TemporaryFolder, temporaryFolder } from '../../loader/formats/archives/temporary-folder.js';
import type { Upload, UploadStore } from './upload-store.js';

// An operator who corrects a mapping previews several times, then loads.
const keptMs = 5 * 60_000;

interface Copy {
  id: string;
  file: Promise<{ path: string; folder: TemporaryFolder }>;
  users: number;
  removal?: NodeJS.Timeout;
}

/** Copies of uploads in this server's temporary folder, because most formats are not read from start to end. */
export class UploadCopies {
  private readonly copies = new Map<string, Copy>();
  private isClosed = false;

  constructor(private readonly uploads: UploadStore) {}

  /**
   * Passes the paths of uploads to a preview or a load. The files stay until it ends.
   * @param ids those that are not set have no path
   * @throws AppError not_found, or unavailable when there is no room
   */
  async use<T>(ids: (string | null | undefined)[], work: (...paths: (string | undefined)[]) => Promise<T>): Promise<T> {
    const used: Copy[] = [];
    try {
      const paths: (string | undefined)[] = [];
      for (const id of ids) paths.push(id ? await this.take(id, used) : undefined);
      return await work(...paths);
    } finally {
      for (const copy of used) this.giveBack(copy);
    }
  }

  /** Removes all copies, those in use once they are given back. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.copies.values()].map((copy) => copy.users === 0 && this.remove(copy)));
  }

  private async take(id: string, used: Copy[]): Promise<string> {
    const upload = await this.uploads.require(id);
    const copy = this.copies.get(id) ?? this.begin(upload);
    clearTimeout(copy.removal);
    copy.users++;
    used.push(copy);
    return (await copy.file).path;
  }

  private giveBack(copy: Copy): void {
    if (--copy.users > 0) return;
    const remove = () => void this.remove(copy);
    if (this.isClosed) remove();
    else copy.removal = setTimeout(remove, keptMs).unref();
  }

  private begin(upload: Upload): Copy {
    const copy: Copy = { id: upload.id, file: this.write(upload), users: 0 };
    this.copies.set(upload.id, copy);
    copy.file.catch(() => this.copies.delete(upload.id));
    return copy;
  }

  private async write({ id, fileName, bytes }: Upload): Copy['file'] {
    if (bytes > (await freeTemporaryBytes())) {
      const text = `There is no space for ${fileName} in the server's temporary folder: it takes ${Math.ceil(bytes / 1024 ** 2)} MB.`;
      throw new AppError('unavailable', text);
    }
    const folder = await temporaryFolder();
    try {
      const path = join(folder.path, fileName);
      const out = createWriteStream(path);
      await pipeline(this.uploads.read(id), out);
      if (out.bytesWritten !== bytes) await this.uploads.require(id); // it was removed meanwhile
      return { path, folder };
    } catch (error) {
      await folder.remove();
      throw error;
    }
  }

  private async remove(copy: Copy): Promise<void> {
    clearTimeout(copy.removal);
    if (this.copies.get(copy.id) === copy) this.copies.delete(copy.id);
    await (await copy.file.catch(() => null))?.folder.remove();
  }
}
