import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { CoverageVersion } from '../counties/coverage-version.js';
import { matchesTag } from '../parcels/page.js';
import { hasBody } from './connections/slow-body.js';
import { requestIdHeader, requestIdOf } from './request-context.js';
import { jsonType } from './response.js';
import { VersionedCache } from './versioned-cache.js';

/** A finished body, plain and gzipped, with the headers for each and for 304 (names and values in turn). */
interface Rendered {
  tag: string;
  body: Buffer;
  headers: string[];
  gzipped: Buffer;
  gzippedHeaders: string[];
  unchangedHeaders: string[];
}

const maxBytes = 64 * 2 ** 20;
/** An entry's size beside its bodies: headers, tag, cache node. Callers can ask for any number of tiny answers. */
const bytesBeside = 2_000;
const maxAddresses = 5_000;
const maxAddressLength = 200;

/** Caches public answers: each body is rendered once per coverage version, and served from memory while that version lasts. */
export class PublicAnswers {
  private readonly rendered = new VersionedCache<Rendered>(
    maxBytes,
    ({ body, gzipped }, key) => body.length + gzipped.length + key.length + bytesBeside,
  );
  private readonly failures = new WeakMap<IncomingMessage, unknown>();
  private readonly known = new LRUCache<string, { key: string; route: string }>({ max: maxAddresses });

  constructor(
    private readonly coverage: CoverageVersion,
    private readonly commonHeaders: string[],
  ) {}

  /**
   * Answers a URL that was requested before, without Express, which takes longer than the answer.
   * @param otherwise handles all other requests
   */
  answerFromMemory(request: Request, response: Response, otherwise: () => void): void {
    const known = this.known.get(request.url!);
    if (!known || !isPlainGet(request)) {
      otherwise();
      return;
    }
    this.coverage.current().then(
      (version) => {
        const rendered = this.rendered.known(known.key, version);
        response.locals.route = known.route;
        if (rendered) this.send(rendered, request, response);
        else otherwise();
      },
      (error) => {
        this.failures.set(request, error);
        otherwise();
      },
    );
  }

  /**
   * @param key the same for all addresses with the same answer
   * @param route the pattern of the path, for the metrics
   * @param render makes the body
   * @param headers of this answer, names and values in turn
   * @param type of its content
   */
  async answer(
    key: string,
    route: string,
    render: () => Promise<Buffer>,
    request: Request,
    response: Response,
    headers: string[] = [],
    type = jsonType,
  ): Promise<void> {
    // Not tried twice: while the database is away, each query takes seconds.
    if (this.failures.has(request)) throw this.failures.get(request);
    const version = await this.coverage.current();
    const rendered = await this.rendered.get(key, version, () => this.render(render, [...headers, 'Coverage-Version', version], type));
    if (request.url.length <= maxAddressLength) this.known.set(request.url, { key, route });
    this.send(rendered, request, response);
  }

  private async render(render: () => Promise<Buffer>, headers: string[], type: string): Promise<Rendered> {
    const body = await render();
    const gzipped = await promisify(gzip)(body);
    const tag = `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
    const unchangedHeaders = [...this.commonHeaders, ...headers, 'Cache-Control', 'no-cache', 'ETag', tag, 'Vary', 'Accept-Encoding'];
    const common = [...unchangedHeaders, 'Content-Type', type];
    return {
      tag,
      body,
      headers: [...common, 'Content-Length', String(body.length)],
      gzipped,
      gzippedHeaders: [...common, 'Content-Encoding', 'gzip', 'Content-Length', String(gzipped.length)],
      unchangedHeaders,
    };
  }

  private send({ tag, body, headers, gzipped, gzippedHeaders, unchangedHeaders }: Rendered, request: Request, response: Response): void {
    const { 'if-none-match': ifNoneMatch, 'accept-encoding': acceptEncoding } = request.headers;
    const ofRequest = [requestIdHeader, requestIdOf(response)];
    if (ifNoneMatch !== undefined && matchesTag(ifNoneMatch, tag)) {
      response.writeHead(304, [...unchangedHeaders, ...ofRequest]).end();
    } else if (acceptEncoding !== undefined && gzipAccepted.test(acceptEncoding as string)) {
      response.writeHead(200, [...gzippedHeaders, ...ofRequest]).end(gzipped);
    } else response.writeHead(200, [...headers, ...ofRequest]).end(body);
  }
}

const gzipAccepted = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;

/** A request without a body, which would need limits of size and time. */
const isPlainGet = (request: IncomingMessage): boolean => (request.method === 'GET' || request.method === 'HEAD') && !hasBody(request);
