import 'reflect-metadata';
import { writeFile } from 'node:fs/promises';
import { printSchema } from 'graphql';
import { projectFile } from '../core/project-files.js';
import { createSchema } from '../graphql/schema.js';
import { resolverClasses } from './resolvers.js';

// `npm run schema`: writes the schema to a file, so that a change of it is seen in review and the console is checked against it.
await writeFile(projectFile('schema/schema.graphql'), `${printSchema(await createSchema(resolverClasses))}\n`);
