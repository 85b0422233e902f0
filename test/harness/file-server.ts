import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen, urlOf } from './app.js';

/** A county's server: its files, when they changed, and what was asked of it. */
export interface FileServer {
  url: string;
  host: string;
  publish(path: string, content: string, changedOn?: string): string;
  withdraw(path: string): void;
  /** The paths that were asked for, in order. */
  asked: string[];
  /** Answers requests only when this is called. */
  hold(): () => void;
}

export async function openFileServer(): Promise<FileServer> {
  const files = new Map<string, { content: Buffer; changedAt: string }>();
  const asked: string[] = [];
  let held: Promise<void> | null = null;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    asked.push(request.url!);
    await held;
    const file = files.get(request.url!);
    if (!file) return response.writeHead(404).end();
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const [first, last] = [Number(from ?? 0), Math.min(Number(to || Number.POSITIVE_INFINITY), file.content.length - 1)];
    const range = from && { 'content-range': `bytes ${first}-${last}/${file.content.length}` };
    response.writeHead(from ? 206 : 200, { 'last-modified': file.changedAt, 'content-length': last - first + 1, ...range });
    return response.end(file.content.subarray(first, last + 1));
  };
  const server = await listen();
  server.on('request', answer);
  const url = urlOf(server);
  return {
    url,
    host: new URL(url).host,
    asked,
    publish: (path, content, changedOn = '2026-03-01') => {
      files.set(path, { content: Buffer.from(content), changedAt: new Date(`${changedOn}T12:00:00Z`).toUTCString() });
      return url + path;
    },
    withdraw: (path) => files.delete(path),
    hold: () => {
      const { promise, resolve } = withResolvers();
      held = promise;
      return () => {
        held = null;
        resolve();
      };
    },
  };
}

function withResolvers() {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
