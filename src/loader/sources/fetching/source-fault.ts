import { AppError, refusal } from '../../../core/errors.js';

/**
 * - `busy`: the server is overloaded or unreachable: wait and ask again
 * - `broken`: it failed or cut its answer off: ask again, then for less
 * - `refused`, `too large`: the same question gets the same answer: ask for less at once
 */
export type FaultKind = 'busy' | 'broken' | 'refused' | 'too large';

/** A source's server failed in a way that waiting, or asking for less, may mend. Other faults are plain AppErrors. */
export class SourceFault extends AppError {
  constructor(
    readonly kind: FaultKind,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number } = {},
    /** Whether the server itself said that it is overloaded. */
    readonly isStated = false,
  ) {
    super(kind === 'busy' || kind === 'broken' ? 'unavailable' : 'invalid_request', message, options);
    this.name = 'SourceFault';
  }
}

/** The fetched data is useless: it is deleted, because it may fill the disk. */
export class FetchDiscarded extends AppError {
  constructor(message: string, cause?: unknown) {
    super('unavailable', message, { cause });
    this.name = 'FetchDiscarded';
  }
}

export const diskFull = (cause?: unknown): FetchDiscarded =>
  new FetchDiscarded('There is no disk space to store the data, and what had come was deleted. Make room in DATA_DIR.', cause);

export const isDiskFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Whether the server failed at this question, so that another one may be answered. */
export const mayAskOtherwise = (error: unknown): error is SourceFault => error instanceof SourceFault && error.kind !== 'busy';

/** @throws AppError for a status that no data comes with */
export function refuseStatus(status: number, host: string, retryAfter: string | undefined): void {
  if (status === 202) throw new SourceFault('busy', `${host} is still preparing the data.`, {}, true);
  if (status < 300) return;
  const answered = `${host} answered with the status ${status}`;
  if (status === 429 || status === 503) {
    const seconds = secondsOf(retryAfter);
    throw new SourceFault('busy', `${answered} (overloaded).`, seconds === undefined ? {} : { retryAfterSeconds: seconds }, true);
  }
  if (status === 401 || status === 403 || status === 407) {
    // Firewalls refuse questions that look like attacks, such as `1=1`.
    throw new SourceFault('refused', `${answered}: it is not open to the public, or blocks this server.`);
  }
  if (status === 404 || status === 410)
    throw refusal(`${answered}: there is nothing at this address. Look for a new one, and name it with --source-url.`);
  throw new SourceFault(status >= 500 || status === 408 ? 'broken' : 'refused', `${answered}.`);
}

/** `Retry-After` is a number of seconds or a date. */
function secondsOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

const cutFault = /^(ECONNRESET$|EPIPE$|ERR_STREAM_PREMATURE_CLOSE$|Z_|HPE_)/;
const certificateFault = /^(ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|ERR_SSL)/;

/** Explains a failed connection in a sentence. */
export function connectionFault(error: Error & { code?: unknown }, host: string): AppError {
  if (error instanceof AppError) return error;
  if (isDiskFull(error)) return diskFull(error);
  const code = String(error.code ?? '');
  if (certificateFault.test(code)) {
    return refusal(`${host} can't be verified (${error.message}), and we read nothing from an unverified server.`, {
      cause: error,
    });
  }
  if (code === 'ENOTFOUND') return new AppError('unavailable', `There is no host named ${host}.`, { cause: error });
  return cutFault.test(code) || error.message === 'aborted'
    ? new SourceFault('broken', `${host} closed the connection before the end.`, { cause: error })
    : new SourceFault('busy', `${host} can't be reached (${code || error.message}).`, { cause: error });
}
