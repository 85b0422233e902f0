import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
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

const validators = new Map<string, ValidateFunction>();

/** Throws unless the contract has this operation with this status, and the body is of its shape. */
export function checkAgainstContract(method: string, path: string, status: number, body: unknown): void {
  const template = templates.find(({ pattern }) => pattern.test(path))?.template;
  const operation = template && contract.paths[template]?.[method.toLowerCase()];
  if (!operation) return; // not an operation of the contract: tests of 404 and 405 look for themselves
  const excerpt = () => JSON.stringify(body).slice(0, 500);
  const said = operation.responses[status] ?? operation.responses.default;
  if (!said) throw new Error(`${method} ${path} answered ${status}, which schema/openapi.yaml does not know: ${excerpt()}`);
  const validate = validatorOf(said);
  if (validate && !validate(body)) {
    throw new Error(`${method} ${path} ${status} breaks schema/openapi.yaml: ${ajv.errorsText(validate.errors)} in ${excerpt()}`);
  }
}

/** Compiled once each: that costs more than many answers do. */
function validatorOf(said: ResponseContract): ValidateFunction | undefined {
  const response = said.$ref ? contract.components.responses[said.$ref.split('/').at(-1)!] : said;
  const schema = response?.content?.['application/json']?.schema;
  if (!schema) return undefined;
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"contract#/'); // taken out of its document, it has to name it
  if (!validators.has(text)) validators.set(text, ajv.compile(JSON.parse(text)));
  return validators.get(text);
}
