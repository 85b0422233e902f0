import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { CoverageVersion } from '../counties/coverage-version.js';
import { matchesTag } from '../parcels/page.js';
import { requestIdOf } from './request-context.js';

/** A finished body, and the headers of it and of its gzipped form: names and values in turn. */
interface Rendered {
  /** The version of coverage that the body shows. */
  version: string;
  tag: string;
  body: Buffer;
  headers: string[];
  gzipped: Buffer;
  gzippedHeaders: string[];
}

const maxBytes = 64 * 2 ** 20;
const maxAddresses = 5_000;
const maxAddressLength = 200;

/** What everybody may see: each body is rendered once for a version of coverage, and goes out from memory while that version holds. */
export class PublicAnswers {
  private readonly rendered = new LRUCache<string, Rendered>({
    maxSize: maxBytes,
    sizeCalculation: ({ body, gzipped }) => body.length + gzipped.length,
  });
  private readonly rendering = new Map<string, Promise<Rendered>>();
  private readonly keys = new LRUCache<string, string>({ max: maxAddresses });

  constructor(
    private readonly coverage: CoverageVersion,
    private readonly frameHeaders: string[],
  ) {}

  /** Answers an address that was asked for before, without looking at its parameters again. */
  readonly again: RequestHandler = (request, response, next) => {
    const key = this.keys.get(request.url);
    if (key === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return next();
    this.coverage.current().then((version) => {
      const known = this.rendered.get(key);
      if (known?.version === version) this.send(known, request, response);
      else next();
    }, next);
  };

  /**
   * @param key the same for all addresses with the same answer
   * @param render makes the body
   */
  async answer(key: string, render: () => Promise<Buffer>, request: Request, response: Response): Promise<void> {
    const version = await this.coverage.current();
    const known = this.rendered.get(key);
    this.send(known?.version === version ? known : await this.renderOnce(key, version, render), request, response);
    if (request.url.length <= maxAddressLength) this.keys.set(request.url, key);
  }

  private renderOnce(key: string, version: string, render: () => Promise<Buffer>): Promise<Rendered> {
    const work = `${version} ${key}`;
    let rendering = this.rendering.get(work);
    if (!rendering) {
      rendering = this.render(version, render).finally(() => this.rendering.delete(work));
      this.rendering.set(work, rendering);
      rendering.then((rendered) => this.rendered.set(key, rendered)).catch(() => {});
    }
    return rendering;
  }

  private async render(version: string, render: () => Promise<Buffer>): Promise<Rendered> {
    const body = await render();
    const gzipped = await promisify(gzip)(body);
    const tag = `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
    const common = [...this.frameHeaders, 'Cache-Control', 'no-cache', 'ETag', tag, 'Vary', 'Accept-Encoding', 'Content-Type', jsonType];
    return {
      version,
      tag,
      body,
      headers: [...common, 'Content-Length', String(body.length)],
      gzipped,
      gzippedHeaders: [...common, 'Content-Encoding', 'gzip', 'Content-Length', String(gzipped.length)],
    };
  }

  private send({ tag, body, headers, gzipped, gzippedHeaders }: Rendered, request: Request, response: Response): void {
    const { 'if-none-match': ifNoneMatch, 'accept-encoding': acceptEncoding } = request.headers;
    const requestId = ['X-Request-Id', requestIdOf(response)];
    if (ifNoneMatch !== undefined && matchesTag(ifNoneMatch, tag)) {
      response
        .writeHead(304, [...this.frameHeaders, 'Cache-Control', 'no-cache', 'ETag', tag, 'Vary', 'Accept-Encoding', ...requestId])
        .end();
    } else if (acceptEncoding !== undefined && request.acceptsEncodings('gzip', 'identity') === 'gzip') {
      response.writeHead(200, [...gzippedHeaders, ...requestId]).end(gzipped);
    } else response.writeHead(200, [...headers, ...requestId]).end(body);
  }
}

const jsonType = 'application/json; charset=utf-8';
