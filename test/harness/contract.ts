import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { projectFile } from '../../src/project-files.js';

interface Operation {
  responses: Record<string, ResponseContract>;
}

interface ResponseContract {
  $ref?: string;
  content?: Record<string, { schema: object }>;
}

/** schema/openapi.yaml, the REST contract that people read. */
export const contract: { paths: Record<string, Record<string, Operation>>; components: { responses: Record<string, ResponseContract> } } =
  parse(readFileSync(projectFile('schema/openapi.yaml'), 'utf8'));

const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema({ ...contract, $id: 'contract' });

const templates = Object.keys(contract.paths).map((template) => ({
  template,
  pattern: new RegExp(`^${template.replace(/\{operation\}/, '.+').replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Throws unless the contract has this operation with this status, and the body is of its shape. */
export function checkAgainstContract(method: string, path: string, status: number, text: string): void {
  const template = templates.find(({ pattern }) => pattern.test(path))?.template;
  const operation = template && contract.paths[template]?.[method.toLowerCase()];
  if (!operation) return; // not an operation of the contract: tests of 404 and 405 look for themselves
  const said = operation.responses[status] ?? operation.responses.default;
  if (!said) throw new Error(`${method} ${path} answered ${status}, which schema/openapi.yaml does not know: ${text.slice(0, 300)}`);
  const response = said.$ref ? contract.components.responses[said.$ref.split('/').at(-1)!] : said;
  const schema = response?.content?.['application/json']?.schema;
  if (!schema) return;
  const validate = ajv.compile(pointInto(schema));
  if (!validate(JSON.parse(text))) {
    throw new Error(`${method} ${path} ${status} breaks schema/openapi.yaml: ${ajv.errorsText(validate.errors)} in ${text.slice(0, 500)}`);
  }
}

/** References of a fragment, taken out of its document, have to name the document. */
const pointInto = (schema: object): object => JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"contract#/'));
