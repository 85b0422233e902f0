import { constants, open } from 'node:fs/promises';
import { join } from 'node:path';

const maxBytes = 16 * 1024 ** 2;
const keptBytes = 1024 ** 2;

/** The log of the embedded Postgres, including startup failures, which Postgres' own log collector would not receive. */
export const serverLogPath = (dataDir: string): string => join(dataDir, 'postgres.log');

/**
 * Cuts the log to its last megabyte if it exceeds 16. Postgres appends, so it continues after the cut. Postgres' own rotation starts new
 * files by time and does not limit the total size.
 */
export async function boundServerLog(dataDir: string): Promise<void> {
  const file = await open(serverLogPath(dataDir), constants.O_RDWR | constants.O_APPEND).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error; // no log with DATABASE_URL
  });
  if (!file) return;
  try {
    const { size } = await file.stat();
    if (size <= maxBytes) return;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(keptBytes), 0, keptBytes, size - keptBytes);
    await file.truncate(0);
    await file.appendFile(buffer.subarray(buffer.indexOf('\n') + 1, bytesRead));
  } finally {
    await file.close();
  }
}
