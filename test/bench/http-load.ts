import { writeFile } from 'node:fs/promises';
import { projectFile } from '../../src/core/project-files.js';
import { output, wrkVersion } from './programs.js';

export interface HttpPlan {
  port: number;
  /** Raw requests, one after the other. */
  file: string;
  connections: number;
  seconds: number;
  /** Requests a second, whatever is answered; without it, each connection sends as soon as it was answered. */
  rate?: number;
}

export interface HttpOutcome {
  count: number;
  seconds: number;
  failed: number;
  p50Ms: number;
  p99Ms: number;
}

/** The HTTP message of a GET. */
export const get = (path: string, headers: Record<string, string> = {}): string =>
  [`GET ${path} HTTP/1.1`, 'Host: localhost', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '\r\n'].join('\r\n');

export const metered = (path: string, token: string): string => get(path, { Authorization: `Bearer ${token}` });

/**
 * Sends these requests in turn from a process of its own: wrk where it is on the PATH, else, and for a constant rate, our generator.
 * @throws when one of them fails
 */
export async function sendRequests(requests: string[], plan: HttpPlan): Promise<HttpOutcome> {
  await writeFile(plan.file, requests.join(''), 'latin1');
  const printed = await (wrkVersion !== null && plan.rate === undefined
    ? output('wrk', [
        '-t1',
        `-c${plan.connections}`,
        `-d${plan.seconds}s`,
        '--timeout',
        '30s',
        '-s',
        projectFile('test/bench/wrk.lua'),
        `http://127.0.0.1:${plan.port}`,
        '--',
        plan.file,
      ])
    : output(process.execPath, [projectFile('dist/test/bench/generator.js'), JSON.stringify(plan)]));
  const outcome = JSON.parse(printed.trim().split('\n').at(-1)!) as HttpOutcome;
  if (outcome.failed > 0)
    throw new Error(`${outcome.failed} of ${outcome.count} requests failed, such as ${requests[0]!.split('\r\n')[0]}`);
  return outcome;
}
