import 'reflect-metadata';
import { readFile, writeFile } from 'node:fs/promises';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { projectFile } from '../core/project-files.js';
import { createSchema } from '../graphql/schema.js';
import { withRecordSchema } from '../releases/record-fields/record-schema.js';
import './app.js'; // and with it every resolver

// `npm run schema`: writes the schemas to files, so that changes show up in review and the console is checked against them.
await writeFile(projectFile('schema/schema.graphql'), `${printSchema(lexicographicSortSchema(await createSchema()))}\n`);

const contract = projectFile('schema/openapi.yaml');
await writeFile(contract, withRecordSchema(await readFile(contract, 'utf8')));
