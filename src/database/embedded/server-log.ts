import { constants, open } from 'node:fs/promises';
import { join } from 'node:path';

const maxBytes = 16 * 1024 ** 2;
const keptBytes = 1024 ** 2;

/** What the embedded Postgres says; also why it did not start, which its own collector of logs would put elsewhere. */
export const serverLogPath = (dataDir: string): string => join(dataDir, 'postgres.log');

/**
 * Cuts the log to its last megabyte once it has more than 16. Postgres goes on writing behind what is there, since it appends; its own
 * rotation begins new files by the clock and bounds none.
 */
export async function boundServerLog(dataDir: string): Promise<void> {
  const file = await open(serverLogPath(dataDir), constants.O_RDWR | constants.O_APPEND).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error; // there is none with DATABASE_URL
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
