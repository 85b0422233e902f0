import 'reflect-metadata';
import { writeFile } from 'node:fs/promises';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { projectFile } from '../core/project-files.js';
import { createSchema } from '../graphql/schema.js';
import { resolverClasses } from './resolvers.js';

// `npm run schema`: writes the schema to a file, so that changes show up in review and the console is checked against it.
await writeFile(projectFile('schema/schema.graphql'), `${printSchema(lexicographicSortSchema(await createSchema(resolverClasses)))}\n`);
