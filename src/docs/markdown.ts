import { type DocPage, docPages, markdownPath } from './doc-pages.js';
import type { Example } from './examples.js';
import { type Field, recordFields } from './fields.js';
import { errorsOf, sampleRecord } from './openapi.js';
import { answerOf, describeOperation, type OperationDoc, type OperationError } from './operations.js';
import { type Language, programs } from './programs.js';
import { type Block, type DocsSource, type Section, sectionsOf } from './sections.js';

/** A page of the docs as Markdown. */
export function markdownOf(page: DocPage, source: DocsSource): string {
  const intro = `# ${page.title}\n\n${page.description}\n\n`;
  const sections = sectionsOf(page, source).map((section) => {
    const heading = section.level > 1 ? `${'#'.repeat(section.level)} ${section.title}\n\n` : '';
    return heading + sectionText(section, source);
  });
  return `${intro}${sections.filter(Boolean).join('\n\n')}\n`;
}

/** https://llmstxt.org: what there is to read here, for language models. */
export function llmsText({ contract }: DocsSource): string {
  const { url } = contract.servers[0]!;
  const pages = docPages.map((page) => `- [${page.title}](${url}${markdownPath(page)}): ${page.description}`);
  return `# ${contract.info.title}

> ${contract.info.summary}

## Docs
${pages.join('\n')}

## Contract
- [OpenAPI document](${url}/openapi.json): every operation, field and error, for programs.
`;
}

/** A section's text, without its heading. The search of the docs looks in it, too. */
export const sectionText = ({ blocks }: Section, source: DocsSource): string =>
  blocks.map((block) => blockText(block, source)).join('\n\n');

function blockText(block: Block, source: DocsSource): string {
  const { contract, texts } = source;
  const here = (text: string) => text.replaceAll('$BASE_URL', contract.servers[0]!.url);
  switch (block.kind) {
    case 'text':
      return block.text;
    case 'example':
      return here(`${codeText(block.example.codes)}\n\n${exampleText(block.example, source)}`);
    case 'program':
      return codeText(programs(block.name, texts, contract.servers[0]!.url));
    case 'operation':
      return here(operationText(describeOperation(contract, block.entry)));
    case 'record':
      return `${fieldsText(recordFields(contract))}\n\n${json(sampleRecord(contract))}`;
    case 'errors':
      return errorsOf(contract)
        .map(({ code, status, meaning, cure }) => `- \`${code}\` (${status}): ${meaning} ${cure}`)
        .join('\n');
  }
}

function exampleText(example: Example, { contract }: DocsSource): string {
  const answer = answerOf(contract, example);
  return answer === undefined ? fenced('', example.answer) : json(answer);
}

function operationText(operation: OperationDoc): string {
  const { summary, credential, description, parameters, body, answers, errors, request, answer } = operation;
  const parts = [
    `${summary}. Credential: ${credential}.`,
    description,
    parameters.length > 0 && `Parameters:\n\n${fieldsText(parameters)}`,
    body.length > 0 && `Body:\n\n${fieldsText(body)}`,
    codeText(request),
    ...answers.map(({ status, description: meaning, fields }) => `${status}: ${meaning}\n\n${fieldsText(fields)}`.trim()),
    answer !== undefined && json(answer),
    `[Errors](errors.md): ${errors.map(errorText).join(', ')}`,
  ];
  return parts.filter(Boolean).join('\n\n');
}

const errorText = ({ status, codes, meaning }: OperationError): string =>
  [status, ...codes.map((code) => `\`${code}\``), meaning && `(${meaning})`].filter(Boolean).join(' ');

const fieldsText = (fields: Field[]): string =>
  fields
    .map(({ name, facts, meaning = '', example }) => {
      const sentence = [meaning.replaceAll(/\s+/g, ' '), example && `Example: \`${example}\`.`].filter(Boolean).join(' ');
      return `- \`${name}\` (${facts.join(', ')})${sentence && `: ${sentence}`}`;
    })
    .join('\n');

const codeText = (codes: Partial<Record<Language, string>>): string =>
  Object.entries(codes)
    .map(([language, code]) => fenced(language === 'curl' ? 'sh' : language, code.trim()))
    .join('\n\n');

const json = (value: unknown): string => fenced('json', JSON.stringify(value, null, 2));

const fenced = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;
