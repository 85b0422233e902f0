import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { SqlPlan } from './sql-load.js';

// What pgbench does with the few words of its language that the bench uses, where there is no pgbench.

const { url, file, clients, seconds }: SqlPlan = JSON.parse(process.argv[2]!);
const lines = readFileSync(file, 'utf8').trim().split('\n');
const ranges = lines.flatMap((line) => {
  const [, name, from, to] = /^\\set (\w+) random\((\d+), (\d+)\)$/.exec(line) ?? [];
  return name === undefined ? [] : [{ name, from: Number(from), to: Number(to) }];
});
const statements = lines
  .filter((line) => !line.startsWith('\\'))
  .map((line, index) => {
    const names: string[] = [];
    const text = line.replace(/(?<!:):([a-z]\w*)/g, (_, name: string) => {
      if (!names.includes(name)) names.push(name);
      return `$${names.indexOf(name) + 1}`;
    });
    return { name: `statement_${index}`, text, names };
  });

const pool = new pg.Pool({ connectionString: url, max: clients });
let count = 0;
const startedAt = performance.now();
await Promise.all(
  Array.from({ length: clients }, async () => {
    const client = await pool.connect();
    while (performance.now() - startedAt < seconds * 1000) {
      const drawn = new Map(ranges.map(({ name, from, to }) => [name, from + Math.floor(Math.random() * (to - from + 1))]));
      for (const { name, text, names } of statements) await client.query({ name, text, values: names.map((each) => drawn.get(each)) });
      count++;
    }
    client.release();
  }),
);
console.log((count * 1000) / (performance.now() - startedAt));
await pool.end();
