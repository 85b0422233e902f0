import 'reflect-metadata';
import { readFile, writeFile } from 'node:fs/promises';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { projectFile } from '../core/project-files.js';
import { createSchema } from '../graphql/schema.js';
import { withRecordSchema } from '../releases/record-fields/record-schema.js';
import './app.js'; // and with it every resolver
import { withTables } from './operations-tables.js';

// `npm run schema`: writes the schemas to files, so that changes show up in review and the console is checked against them.
await writeFile(projectFile('schema/schema.graphql'), `${printSchema(lexicographicSortSchema(await createSchema()))}\n`);

for (const [name, withGenerated] of [
  ['schema/openapi.yaml', withRecordSchema],
  ['OPERATIONS.md', withTables],
] as const) {
  await writeFile(projectFile(name), withGenerated(await readFile(projectFile(name), 'utf8')));
}
