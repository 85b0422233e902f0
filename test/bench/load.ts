import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { projectFile } from '../../src/core/project-files.js';

const run = promisify(execFile);

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
 * Sends these requests in turn from a process of its own.
 * @throws when one of them fails
 */
export async function sendRequests(requests: string[], plan: HttpPlan): Promise<HttpOutcome> {
  await writeFile(plan.file, requests.join(''), 'latin1');
  const { stdout } = await run(process.execPath, [projectFile('dist/tests/test/bench/generator.js'), JSON.stringify(plan)]);
  const outcome = JSON.parse(stdout) as HttpOutcome;
  if (outcome.failed > 0)
    throw new Error(`${outcome.failed} of ${outcome.count} requests failed, such as ${requests[0]!.split('\r\n')[0]}`);
  return outcome;
}

interface SqlPlan {
  url: string;
  file: string;
  clients: number;
  seconds: number;
}

/** Runs a script of pgbench again and again, as prepared statements. Gives how often it ran a second. */
export async function runScriptRepeatedly(script: string, { url, file, clients, seconds }: SqlPlan): Promise<number> {
  await writeFile(file, script);
  const { stdout } = await run('pgbench', ['-n', '-M', 'prepared', '-c', `${clients}`, '-j', '1', '-T', `${seconds}`, '-f', file, url]);
  return Number(/^tps = ([\d.]+)/m.exec(stdout)![1]);
}
