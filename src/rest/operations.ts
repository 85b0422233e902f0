import { readFileSync } from 'node:fs';
import { type GraphQLSchema, Kind, parse, validate } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Context } from '../core/context.js';
import { projectFile } from '../core/project-files.js';

export type Variables = Record<string, unknown>;

/** Runs the operations of a file, checked and compiled once at start. */
export class Operations {
  private readonly compiled: Map<string, CompiledQuery>;

  constructor(
    schema: GraphQLSchema,
    private readonly file: string,
  ) {
    const source = parse(readFileSync(projectFile(file), 'utf8'));
    const faults = validate(schema, source);
    if (faults.length > 0) throw new Error(`${file}: ${faults.join('; ')}`);
    const operations = source.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
    this.compiled = new Map(
      operations.map(({ name }) => {
        const compiled = compileQuery(schema, source, name!.value);
        if (!isCompiledQuery(compiled)) throw new Error(`${name!.value}: ${compiled.errors?.join('; ')}`);
        return [name!.value, compiled];
      }),
    );
  }

  /**
   * The value of the operation's only field.
   * @throws whatever the resolver threw
   */
  async run(name: string, variables: Variables, context: Context): Promise<unknown> {
    return Object.values(await this.data(name, variables, context))[0];
  }

  /** All that the operation asks for. */
  async data(name: string, variables: Variables, context: Context): Promise<Record<string, unknown>> {
    const operation = this.compiled.get(name);
    if (!operation) throw new Error(`${this.file} has no operation ${name}`);
    const { data, errors } = await operation.query(undefined, context, variables);
    if (errors?.[0]) throw errors[0].originalError ?? errors[0];
    return data as Record<string, unknown>;
  }
}
