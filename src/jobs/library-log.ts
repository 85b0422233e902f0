import { Logger as LibraryLogger } from 'graphile-worker';
import type { Logger } from 'pino';

/** The library's messages in our log, without jobs, whose payloads may be mails, and without failures, which `JobRunner` logs itself. */
export function libraryLog(log: Logger): LibraryLogger {
  return new LibraryLogger(() => (level, message, meta) => {
    if (meta?.failure || meta?.success) return;
    const text = `jobs: ${message.split('\n')[0]}`;
    if (level === 'error' || level === 'warning') log.warn(text);
    else log.debug(text);
  });
}
