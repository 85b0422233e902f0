import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';

/** The text of a file that only this user reads. It is created with `text` if there is none. */
export function readOrCreateFile(path: string, text: string): string {
  if (!existsSync(path)) {
    const draft = `${path}.${randomUUID()}`;
    writeFileSync(draft, text, { mode: 0o600 });
    try {
      // Only the first link succeeds, and it names a complete file, so two processes that start together read the same text.
      linkSync(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      unlinkSync(draft);
    }
  }
  return readFileSync(path, 'utf8').trim();
}
