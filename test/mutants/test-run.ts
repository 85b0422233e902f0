import { spawn } from 'node:child_process';
import { Client } from 'pg';
import { projectFile } from '../../src/core/project-files.js';
import { collect } from '../harness/process.js';

interface JestReport {
  numTotalTests: number;
  testResults: { assertionResults: { status: string; fullName: string }[] }[];
}

/**
 * Runs test files on a template database of this name that some SQL was applied to, beside the real one of the same server.
 * @returns the full name of the first test that fails; null when all pass
 */
export async function firstFailure(name: string, files: string[], sql: string): Promise<string | null> {
  const { TEST_TEMPLATE_URL: template, TEST_SERVICE_URL: service } = process.env as { [name: string]: string };
  const at = (url: string, database = name) => url.replace(/[^/]*$/, database);
  // Not by way of the template itself: Postgres clones no database that somebody is connected to.
  await execute(at(template!, 'postgres'), `create database ${name} template parcel_records owner service`);
  try {
    if (sql) await execute(at(service!), sql);
    const env = { TEST_TEMPLATE_URL: at(template!), TEST_SERVICE_URL: at(service!) };
    const { numTotalTests, testResults } = await runJest(files, env);
    if (numTotalTests === 0) throw new Error('there are no tests');
    const results = testResults.flatMap(({ assertionResults }) => assertionResults);
    return results.find(({ status }) => status === 'failed')?.fullName ?? null;
  } finally {
    await execute(at(template!, 'postgres'), `drop database ${name} with (force)`);
  }
}

async function runJest(files: string[], env: Record<string, string>): Promise<JestReport> {
  const flags = ['--no-warnings', projectFile('node_modules/jest/bin/jest.js')];
  const options = ['--config', 'test/jest.config.js', '--runInBand', '--silent', '--json'];
  const child = spawn(process.execPath, [...flags, ...options, ...files], { cwd: projectFile(), env: { ...process.env, ...env } });
  const { stdout, stderr } = await collect(child);
  if (!stdout) throw new Error(`the tests did not run: ${stderr.slice(-1_000)}`);
  return JSON.parse(stdout) as JestReport;
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    // As at start: a function may be created before one that it calls.
    await client.query('set check_function_bodies = off');
    await client.query(sql);
  } finally {
    await client.end();
  }
}
