import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../core/errors.js';
import { freeTemporaryBytes, type TemporaryFolder, temporaryFolder } from '../../loader/formats/archives/temporary-folder.js';
import type { Upload, UploadStore } from './upload-store.js';

// An operator who corrects a mapping previews several times, then loads.
const keptMs = 5 * 60_000;

interface Copy {
  file: Promise<{ path: string; folder: TemporaryFolder }>;
  users: number;
  removal?: NodeJS.Timeout;
}

/** Copies of uploads in this server's temporary folder, because most formats are not read from start to end. */
export class UploadCopies {
  private readonly copies = new Map<string, Copy>();
  private isClosed = false;

  constructor(private readonly uploads: UploadStore) {}

  /** Files for one preview or load. */
  borrow(): BorrowedFiles {
    return new BorrowedFiles(this);
  }

  /** @throws AppError not_found, or unavailable when there is no room */
  async take(id: string): Promise<string> {
    const upload = await this.uploads.require(id);
    const copy = this.copies.get(id) ?? this.begin(upload);
    copy.users++;
    clearTimeout(copy.removal);
    return (await copy.file).path;
  }

  giveBack(id: string): void {
    const copy = this.copies.get(id)!;
    if (--copy.users > 0) return;
    const remove = () => void this.remove(id, copy);
    if (this.isClosed) remove();
    else copy.removal = setTimeout(remove, keptMs).unref();
  }

  /** Removes all copies, those in use once they are given back. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.copies].map(([id, copy]) => copy.users === 0 && this.remove(id, copy)));
  }

  private begin(upload: Upload): Copy {
    const copy: Copy = { file: this.write(upload), users: 0 };
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

  private async remove(id: string, copy: Copy): Promise<void> {
    clearTimeout(copy.removal);
    this.copies.delete(id);
    await (await copy.file.catch(() => null))?.folder.remove();
  }
}

/** Where a preview or a load finds its uploads. They stay until they are given back. */
export class BorrowedFiles {
  readonly paths: string[] = [];
  private readonly ids: string[] = [];

  constructor(private readonly copies: UploadCopies) {}

  /** @throws AppError not_found, or unavailable when there is no room */
  async require(id: string): Promise<string> {
    const path = await this.copies.take(id);
    this.ids.push(id);
    this.paths.push(path);
    return path;
  }

  giveBack(): void {
    for (const id of this.ids) this.copies.giveBack(id);
  }
}
