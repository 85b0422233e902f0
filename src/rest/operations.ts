import { readFileSync } from 'node:fs';
import { type DocumentNode, execute, type GraphQLSchema, Kind, parse, validate } from 'graphql';
import type { Context } from '../context.js';
import { projectFile } from '../project-files.js';

export type Variables = Record<string, unknown>;

/** Runs the operations of schema/operations/rest.graphql, parsed and checked once at start. */
export class RestOperations {
  private readonly documents: Map<string, DocumentNode>;

  constructor(private readonly schema: GraphQLSchema) {
    const source = parse(readFileSync(projectFile('schema/operations/rest.graphql'), 'utf8'));
    const faults = validate(schema, source);
    if (faults.length > 0) throw new Error(`schema/operations/rest.graphql: ${faults.join('; ')}`);
    const fragments = source.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
    this.documents = new Map(
      source.definitions
        .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
        .map((operation) => [operation.name!.value, { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] }]),
    );
  }

  /**
   * The value of the operation's only field.
   * @throws whatever the resolver threw
   */
  async run(name: string, variables: Variables, context: Context): Promise<unknown> {
    const document = this.documents.get(name);
    if (!document) throw new Error(`schema/operations/rest.graphql has no operation ${name}`);
    const { data, errors } = await execute({ schema: this.schema, document, variableValues: variables, contextValue: context });
    if (errors?.[0]) throw errors[0].originalError ?? errors[0];
    return Object.values(data!)[0];
  }
}
