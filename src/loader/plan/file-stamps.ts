import type { BigIntStats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { refusal } from '../../core/errors.js';

/** Detects files that change during a load. Files are read several times, and every pass must see the same bytes. */
export class FileStamps {
  private readonly stamps = new Map<string, string>();

  /** Keeps the first stamp of each path. Adds the files of a folder. Skips missing files: opening them reports the error. */
  async add(paths: string[]): Promise<void> {
    for (const path of paths) {
      const found = await statOf(path);
      if (found?.isDirectory()) await this.add((await readdir(path)).map((name) => join(path, name)));
      else if (found && !this.stamps.has(path)) this.stamps.set(path, stampOf(found));
    }
  }

  /** @throws AppError naming a file that was written to or replaced */
  async refuseChanged(): Promise<void> {
    for (const [path, stamp] of this.stamps) {
      const found = await statOf(path);
      if (found && stampOf(found) === stamp) continue;
      throw refusal(`${basename(path)} changed while it was read, so nothing was published. Load it again when it is complete.`);
    }
  }
}

const statOf = (path: string): Promise<BigIntStats | null> => stat(path, { bigint: true }).catch(() => null);

const stampOf = ({ dev, ino, size, mtimeNs }: BigIntStats): string => [dev, ino, size, mtimeNs].join();
