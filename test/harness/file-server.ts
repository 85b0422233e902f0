import { openServer } from './loopback-server.js';

/** A county's server: its files, when they changed, and what was asked of it. */
export interface FileServer {
  host: string;
  /** @returns the address of the file */
  publish(path: string, content: string, changedOn?: string): string;
  withdraw(path: string): void;
  /** The paths that were asked for, in order. */
  asked: string[];
  /** Answers no request until the returned function is called. */
  hold(): () => void;
}

export async function openFileServer(): Promise<FileServer> {
  const files = new Map<string, { content: Buffer; changedAt: string }>();
  const asked: string[] = [];
  let held = Promise.resolve();
  const { origin, host } = await openServer(async ({ headers }, response, { pathname }) => {
    asked.push(pathname);
    await held;
    const file = files.get(pathname);
    if (!file) return void response.writeHead(404).end();
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
    const { length } = file.content;
    const [first, last] = [Number(from ?? 0), Math.min(Number(to || length), length - 1)];
    const range = from && { 'content-range': `bytes ${first}-${last}/${length}` };
    response.writeHead(from ? 206 : 200, { 'last-modified': file.changedAt, 'content-length': last - first + 1, ...range });
    response.end(file.content.subarray(first, last + 1));
  });
  return {
    host,
    asked,
    publish: (path, content, changedOn = '2026-03-01') => {
      files.set(path, { content: Buffer.from(content), changedAt: new Date(`${changedOn}T12:00:00Z`).toUTCString() });
      return origin + path;
    },
    withdraw: (path) => void files.delete(path),
    hold: () => {
      let release!: () => void;
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
  };
}
