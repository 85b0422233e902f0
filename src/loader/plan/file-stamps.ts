import type { BigIntStats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError } from '../../core/errors.js';

/** How files were when a load began: they are read several times, and a record of one time among those of another is of no file. */
export class FileStamps {
  private readonly stamps = new Map<string, string>();

  /** Those that are known stay as they were known first. Of a folder, its files are meant; what is not there is for others to say. */
  async add(paths: string[]): Promise<void> {
    for (const path of paths) {
      const found = await statOf(path);
      if (found?.isDirectory()) await this.add((await readdir(path)).map((name) => join(path, name)));
      else if (found && !this.stamps.has(path)) this.stamps.set(path, stampOf(found));
    }
  }

  /** @throws AppError naming a file that was written to since, or in whose place another one is */
  async refuseChanged(): Promise<void> {
    for (const [path, stamp] of this.stamps) {
      const found = await statOf(path);
      if (found && stampOf(found) === stamp) continue;
      throw new AppError(
        'invalid_request',
        `${basename(path)} changed while it was read: nothing was published. Load it again once nobody writes to it any more.`,
      );
    }
  }
}

const statOf = (path: string): Promise<BigIntStats | null> => stat(path, { bigint: true }).catch(() => null);

const stampOf = ({ dev, ino, size, mtimeNs }: BigIntStats): string => [dev, ino, size, mtimeNs].join();
