import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { refusal } from '../../../core/errors.js';
import { freeBytes } from '../../formats/archives/temporary-folder.js';
import { detectFormat, detectionBytes } from '../../formats/detect-format.js';
import { readEdge } from '../../formats/read-chunks.js';
import { hashFiles } from '../../hash-files.js';
import type { FetchedSource, FetchOptions, SourceState } from './fetched-source.js';
import { fileNameOf } from './file-name.js';
import { diskFull, refuseStatus, SourceFault } from './source-fault.js';
import type { Answer, WebClient } from './web-client.js';

/** Downloads a file. A part of an earlier download is continued if the server still has the same file. */
export async function download(url: string, directory: string, client: WebClient, options: FetchOptions): Promise<FetchedSource> {
  await mkdir(directory, { recursive: true });
  const part = new PartialFile(directory, url);
  const endAt = performance.now() + client.limits.downloadMs;
  let grown = false;
  const answer = await client.retry(
    async () => {
      const before = await part.size();
      try {
        return await continueDownload(part, client, options);
      } finally {
        grown = (await part.size()) > before && performance.now() < endAt;
      }
    },
    { hasProgressed: () => grown },
  );
  const path = join(directory, fileNameOf(answer));
  const hash = await hashFiles([part.path], options.signal ?? new AbortController().signal);
  await part.moveTo(path);
  const { etag, 'last-modified': lastModified } = answer.headers;
  return {
    path,
    records: null,
    bytes: (await stat(path)).size,
    sha256: hash.toString('hex'),
    sourceDate: dayOf(lastModified),
    etag: etag ?? null,
    notes: [],
  };
}

/** Looks at the start of a file only. */
export async function checkDownload(url: string, client: WebClient): Promise<Partial<SourceState>> {
  return client.retry(async () => {
    const answer = await client.get(url, { 'accept-encoding': 'identity', range: `bytes=0-${detectionBytes - 1}` }, client.limits.answerMs);
    const chunks: Buffer[] = [];
    try {
      refuseStatus(answer.status, answer.url.host, answer.headers['retry-after']);
      for await (const chunk of answer.body) {
        chunks.push(chunk);
        if (chunks.reduce((sum, { length }) => sum + length, 0) >= detectionBytes) break;
      }
    } catch (error) {
      throw client.faultOf(error as Error, answer.url);
    } finally {
      answer.body.destroy();
    }
    refuseHead(Buffer.concat(chunks).subarray(0, detectionBytes), answer);
    return { name: fileNameOf(answer), changedAt: dayOf(answer.headers['last-modified']), bytes: lengthOf(answer) };
  });
}

async function continueDownload(part: PartialFile, client: WebClient, { onProgress }: FetchOptions): Promise<Answer> {
  const { size: start, validator } = await part.continuable();
  // Packed by the server, its bytes would not be those of the file.
  const headers = { 'accept-encoding': 'identity', ...(start > 0 && { range: `bytes=${start}-`, 'if-range': validator! }) };
  const answer = await client.get(part.url, headers, client.limits.downloadMs);
  const { host } = answer.url;
  try {
    const isContinued = start > 0 && answer.status === 206 && answer.headers['content-range']?.startsWith(`bytes ${start}-`);
    if ((answer.status === 206 && !isContinued) || answer.status === 416) {
      await part.remove();
      throw new SourceFault('broken', `${host} sent a different part of the file than was requested.`);
    }
    refuseStatus(answer.status, host, answer.headers['retry-after']);
    const total = lengthOf(answer);
    // What comes packed has other positions than the file.
    if (!isContinued) await part.start(isPacked(answer) ? null : validatorOf(answer));
    const room = Math.min(client.limits.diskBytes, await freeBytes(part.directory));
    let bytes = isContinued ? start : 0;
    const counter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        onProgress?.({ records: 0, total: null, bytes });
        done(bytes - start > room ? diskFull() : null, chunk);
      },
    });
    await pipeline(answer.body, counter, createWriteStream(part.path, { flags: 'a' }));
    if (total !== null && bytes !== total) {
      if (bytes > total) await part.remove();
      throw new SourceFault('broken', `${host} closed the connection before the end.`);
    }
    refuseHead(await readEdge(part.path, detectionBytes, 'head'), answer);
    return answer;
  } catch (error) {
    answer.body.destroy();
    const fault = client.faultOf(error as Error, answer.url);
    if (!(fault instanceof SourceFault)) await part.remove();
    throw fault;
  }
}

/** The start of a file, and what it belongs to. */
class PartialFile {
  readonly path: string;
  private readonly notePath: string;

  constructor(
    readonly directory: string,
    readonly url: string,
  ) {
    this.path = join(directory, '.download.part');
    this.notePath = join(directory, '.download.json');
  }

  async size(): Promise<number> {
    return (await stat(this.path).catch(() => null))?.size ?? 0;
  }

  /** Where to continue, and the validator that the server's file must still have. */
  async continuable(): Promise<{ size: number; validator: string | null }> {
    const note = JSON.parse(await readFile(this.notePath, 'utf8').catch(() => 'null')) as { url: string; validator: string | null } | null;
    const isSame = note?.url === this.url && note.validator !== null;
    return isSame ? { size: await this.size(), validator: note.validator } : { size: 0, validator: null };
  }

  async start(validator: string | null): Promise<void> {
    await writeFile(this.path, '');
    await writeFile(this.notePath, JSON.stringify({ url: this.url, validator }));
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
    await rm(this.notePath, { force: true });
  }

  async moveTo(path: string): Promise<void> {
    await rename(this.path, path);
    await this.remove();
  }
}

/** The validator that `If-Range` may name: a strong ETag, otherwise the time of the last change. */
function validatorOf({ headers: { etag, 'last-modified': lastModified } }: Answer): string | null {
  return etag && !etag.startsWith('W/') ? etag : (lastModified ?? null);
}

const isPacked = ({ headers }: Answer): boolean => (headers['content-encoding'] ?? 'identity') !== 'identity';

/** The length of the whole file, if the server says it. */
function lengthOf(answer: Answer): number | null {
  const { 'content-range': range = '', 'content-length': length } = answer.headers;
  const text = answer.status === 206 ? /\/(\d+)$/.exec(range)?.[1] : length;
  return text === undefined || isPacked(answer) ? null : Number(text);
}

/** @throws AppError if this is the start of a web page, of an error message, or of anything else that is no county file */
function refuseHead(head: Buffer, { url }: Answer): void {
  if (head.length === 0) throw refusal(`${url.host} answered with an empty file.`);
  const kind = detectFormat(head);
  if (typeof kind === 'string') return;
  const title = /<title[^>]*>([^<]{1,200})/i.exec(head.toString('utf8'))?.[1]?.trim();
  throw refusal(`${url.host} answered with ${kind.reason}${title ? `: “${title}”` : ''}. Check that the address is that of a file.`);
}

function dayOf(httpDate: string | undefined): string | null {
  const date = new Date(httpDate ?? '');
  return Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, 10);
}
