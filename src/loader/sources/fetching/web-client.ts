import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { AppError, refusal } from '../../../core/errors.js';
import { sourceHeaderPattern } from '../../../core/setting-rules.js';
import type { FetchLimits, FetchOptions } from './fetched-source.js';
import { lookupPublic, refusePrivateLiteral } from './public-address.js';
import { connectionFault, refuseStatus, SourceFault } from './source-fault.js';

const defaultLimits: FetchLimits = {
  tries: 7,
  backoffMs: 1000,
  waitMs: 5 * 60_000,
  silenceMs: 90_000,
  answerMs: 5 * 60_000,
  downloadMs: 12 * 3_600_000,
  answerBytes: 32 * 1024 ** 2,
  diskBytes: Number.POSITIVE_INFINITY,
};

const maxRedirects = 5;
const firstTries = 3;
const defaultRequestsPerSecond = 4;

export interface Answer {
  /** After redirects. */
  url: URL;
  status: number;
  headers: IncomingMessage['headers'];
  /** Unpacked. Fails with a SourceFault when the connection breaks. */
  body: Readable;
}

/** Requests to public servers, at a bounded rate and one at a time. It keeps no cookies. */
export class WebClient {
  readonly limits: FetchLimits;
  private readonly agents = {
    'http:': new http.Agent({ keepAlive: true, maxSockets: 1 }),
    // Also if NODE_TLS_REJECT_UNAUTHORIZED is set.
    'https:': new https.Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: true }),
  };
  private readonly intervalMs: number;
  /** Each with its server, header and value. */
  private readonly secrets: RegExpExecArray[];
  private nextAt = 0;
  private hasAnswered = false;

  constructor(private readonly options: FetchOptions) {
    this.limits = { ...defaultLimits, ...options.limits };
    this.intervalMs = 1000 / (options.requestsPerSecond ?? defaultRequestsPerSecond);
    this.secrets = (options.headers ?? []).map((text) => sourceHeaderPattern.exec(text)!);
  }

  [Symbol.dispose](): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  /**
   * Tries until an attempt succeeds, its fault is final, or there were too many in a row.
   * @param triesIfBroken how often to try what the server may not be able to answer at all
   * @param hasProgressed whether an attempt that failed brought something, after which the count starts anew
   */
  async retry<T>(attempt: () => Promise<T>, { triesIfBroken = this.limits.tries, hasProgressed = (): boolean => false } = {}): Promise<T> {
    let waitedMs = 0;
    for (let tries = 1; ; tries++) {
      try {
        const answer = await attempt();
        this.hasAnswered = true;
        return answer;
      } catch (error) {
        this.options.signal?.throwIfAborted();
        if (!(error instanceof SourceFault)) throw error;
        if (hasProgressed()) {
          tries = 1;
          waitedMs = 0;
        }
        const mayTry = error.kind === 'busy' ? this.limits.tries : error.kind === 'broken' ? triesIfBroken : 1;
        // A server that was never right may be gone for good, unless it says that it is overloaded.
        const maxTries = this.hasAnswered || error.isStated ? mayTry : Math.min(mayTry, firstTries);
        const waitMs = Math.max(this.limits.backoffMs * 2 ** (tries - 1), (error.retryAfterSeconds ?? 0) * 1000);
        waitedMs += waitMs;
        if (tries >= maxTries || waitedMs > this.limits.waitMs) throw error;
        this.options.log.info({ error, waitMs }, 'a county source failed; retrying');
        await this.wait(waitMs);
      }
    }
  }

  /**
   * One GET, with the redirects it leads to.
   * @throws AppError if the address must not be called; SourceFault if the server fails
   */
  async get(address: string, headers: OutgoingHttpHeaders, maxMs: number): Promise<Answer> {
    let url = parseAddress(address);
    for (let redirects = 0; ; redirects++) {
      const answer = await this.getOnce(url, headers, maxMs);
      const { location } = answer.headers;
      if (![301, 302, 303, 307, 308].includes(answer.status) || !location) return answer;
      answer.body.destroy();
      if (redirects === maxRedirects) throw refusal(`${url.host} redirects more than ${maxRedirects} times.`);
      const target = parseAddress(location, url.href);
      if (url.protocol === 'https:' && target.protocol === 'http:')
        throw refusal(`${url.host} redirects from https to http, which could be read and changed on the way.`);
      url = target;
    }
  }

  /** The whole text of an answer. */
  async getText(address: string): Promise<string> {
    const answer = await this.get(address, { 'accept-encoding': 'gzip' }, this.limits.answerMs);
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      refuseStatus(answer.status, answer.url.host, answer.headers['retry-after']);
      for await (const chunk of answer.body) {
        bytes += chunk.length;
        if (bytes > this.limits.answerBytes) throw new SourceFault('too large', `${answer.url.host} sent too large an answer.`);
        chunks.push(chunk);
      }
    } catch (error) {
      answer.body.destroy();
      throw this.faultOf(error as Error, answer.url);
    }
    return new TextDecoder().decode(Buffer.concat(chunks));
  }

  /** Explains a failed request. @throws the signal's reason when it aborted */
  faultOf(error: Error, url: URL): AppError {
    this.options.signal?.throwIfAborted();
    if (error.name === 'TimeoutError') return new SourceFault('broken', `${url.host} took too long to answer.`, { cause: error });
    return connectionFault(error, url.host);
  }

  private async getOnce(url: URL, headers: OutgoingHttpHeaders, maxMs: number): Promise<Answer> {
    const mayBePrivate = this.options.allowedPrivateHosts.includes(hostAndPort(url));
    if (!mayBePrivate) refusePrivateLiteral(url.hostname);
    await this.pace();
    const { signal } = this.options;
    const timeout = AbortSignal.timeout(maxMs);
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const request = (url.protocol === 'https:' ? https : http).get(
          url,
          {
            agent: this.agents[url.protocol as 'http:' | 'https:'],
            headers: { 'user-agent': 'parcel-records', accept: '*/*', ...headers, ...this.secretsFor(url, mayBePrivate) },
            signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
            timeout: this.limits.silenceMs,
            ...(!mayBePrivate && { lookup: lookupPublic }),
          },
          resolve,
        );
        request.on('timeout', () => request.destroy(new DOMException('silence', 'TimeoutError')));
        request.on('error', reject);
      });
      const isPacked = /^(x-)?gzip$/i.test(response.headers['content-encoding'] ?? '');
      return { url, status: response.statusCode!, headers: response.headers, body: isPacked ? unpack(response) : response };
    } catch (error) {
      throw this.faultOf(error as Error, url);
    }
  }

  /** The secrets of this server only, so that no redirect leads them elsewhere. */
  private secretsFor(url: URL, mayBePrivate: boolean): OutgoingHttpHeaders {
    if (url.protocol !== 'https:' && !mayBePrivate) return {};
    const own = this.secrets.filter(([, host]) => host === hostAndPort(url));
    return Object.fromEntries(own.map(([, , name, value]) => [name, value]));
  }

  private async pace(): Promise<void> {
    const startAt = Math.max(performance.now(), this.nextAt);
    this.nextAt = startAt + this.intervalMs;
    await this.wait(startAt - performance.now());
  }

  private async wait(ms: number): Promise<void> {
    const { signal } = this.options;
    if (ms > 0) await sleep(ms, undefined, signal && { signal }).catch(() => undefined);
    signal?.throwIfAborted();
  }
}

const hostAndPort = ({ hostname, port, protocol }: URL): string => `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;

function unpack(response: IncomingMessage): Readable {
  // It may fail before anybody reads it; a reader gets the error nevertheless.
  const unpacked = createGunzip().on('error', () => undefined);
  response.on('error', (error) => unpacked.destroy(error));
  unpacked.on('close', () => response.destroy());
  return response.pipe(unpacked);
}

/** @throws AppError unless this is an http(s) address without credentials */
export function parseAddress(text: string, base?: string): URL {
  const url = URL.canParse(text, base) ? new URL(text, base) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw refusal('The address of a source must start with http:// or https://.');
  if (url.username || url.password) throw refusal(`The address at ${url.host} must have no user name or password.`);
  url.hash = '';
  return url;
}
