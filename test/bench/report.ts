import { cpus, totalmem } from 'node:os';
import type { Bench } from './bench.js';
import { type Figure, isMet, lineOf, type Row } from './figures.js';
import { versionOf } from './load.js';

export interface Report {
  machine: { cpus: number; model: string; memoryGb: number };
  versions: { node: string; postgres: string; pgbench: string | null };
  secondsOfARound: number;
  rows: MeasuredRow[];
}

interface MeasuredRow {
  name: string;
  title: string;
  figures: (Figure & { isMet?: boolean })[];
  /** Why there are no figures. */
  fault?: string;
}

/** Measures the rows one after the other; one that fails does not keep the others from it. */
export async function reportOn(bench: Bench, rows: Row[], say: (line: string) => void): Promise<Report> {
  const measured: MeasuredRow[] = [];
  for (const row of rows) {
    say(`${Math.round(process.uptime())} s: ${row.name}`);
    measured.push(await measure(bench, row));
  }
  const { rows: version } = await bench.database.pool.query<{ server_version: string }>('show server_version');
  return {
    machine: { cpus: cpus().length, model: cpus()[0]!.model, memoryGb: Math.round(totalmem() / 1024 ** 3) },
    versions: { node: process.versions.node, postgres: version[0]!.server_version, pgbench: versionOf('pgbench', /\(PostgreSQL\) (\S+)/) },
    secondsOfARound: bench.seconds,
    rows: measured,
  };
}

async function measure(bench: Bench, { name, title, measure: figuresOf }: Row): Promise<MeasuredRow> {
  try {
    const figures = await figuresOf(bench);
    return {
      name,
      title,
      figures: figures.map((figure) => ({
        ...figure,
        ...(figure.aim && figure.value !== null && { isMet: isMet(figure.value, figure.aim) }),
      })),
    };
  } catch (error) {
    return { name, title, figures: [], fault: String(error) };
  }
}

export function printReport({ machine, versions, rows }: Report): void {
  console.log(
    `${machine.cpus} × ${machine.model}, ${machine.memoryGb} GB; Node ${versions.node}, Postgres ${versions.postgres}, pgbench ${versions.pgbench}`,
  );
  for (const { name, title, figures, fault } of rows) {
    console.log(`\n${name}: ${title}`);
    for (const figure of figures) console.log(lineOf(figure));
    if (fault) console.log(`  ${fault}`);
  }
}
