import { cpus, totalmem } from 'node:os';
import { versionOf } from '../harness/process.js';
import type { Bench } from './bench.js';
import { lineOf, type Row } from './figures.js';

/** Measures the rows one after the other; one that fails does not keep the others from it. */
export async function measureAndPrint(bench: Bench, rows: Row[]): Promise<void> {
  const { rows: version } = await bench.database.pool.query<{ server_version: string }>('show server_version');
  const pgbench = versionOf('pgbench', /\(PostgreSQL\) (\S+)/);
  const memoryGb = Math.round(totalmem() / 1024 ** 3);
  console.log(
    `${cpus().length} × ${cpus()[0]!.model}, ${memoryGb} GB; Node ${process.versions.node}, Postgres ${version[0]!.server_version}, pgbench ${pgbench}`,
  );
  for (const { name, title, measure } of rows) {
    console.error(`${Math.round(process.uptime())} s: ${name}`);
    const lines = await measure(bench).then(
      (figures) => figures.map(lineOf),
      (error) => {
        process.exitCode = 1;
        return [`  ${error}`];
      },
    );
    console.log([`\n${name}: ${title}`, ...lines].join('\n'));
  }
}
