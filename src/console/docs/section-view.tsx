import { Badge, Code, Group, Stack, Text, Title } from '@mantine/core';
import { entryOf, isCallable } from '../../docs/calls.js';
import { type Field, recordFields } from '../../docs/fields.js';
import { errorsOf, type OpenApi, sampleRecord } from '../../docs/openapi.js';
import { answerOf, describeOperation, type OperationDoc } from '../../docs/operations.js';
import { type Language, programs } from '../../docs/programs.js';
import type { Block, DocsSource, Section } from '../../docs/sections.js';
import { paths } from '../paths.js';
import { here, site } from '../site.js';
import { TryIt } from '../try-it/try-it.js';
import type { TryPanelProps } from '../try-it/try-panel.js';
import { CodeBlock, CodeTabs } from '../ui/code.js';
import { JsonBlock } from '../ui/json-block.js';
import { TextLink } from '../ui/parts.js';
import classes from './docs-page.module.css';
import { inlineParts, RichText } from './rich-text.js';

/** A part of a page: its text, and beside it what is sent and answered. */
export function SectionView({ section, source }: { section: Section; source: DocsSource }) {
  const { id, title, level, summary, blocks } = section;
  const isFolded = summary !== undefined;
  const heading = level > 1 && (
    <Title
      order={level as 2 | 3}
      size={level === 2 ? 'h3' : 'h5'}
      id={id}
      style={{ overflowWrap: 'anywhere' }}
      {...(isFolded ? { display: 'inline' } : { mb: 'sm' })}
    >
      {title}
    </Title>
  );
  const code = blocks.map((block) => codeOf(block, source)).filter(Boolean);
  const tried = blocks.map((block) => triedBy(block, source)).find(Boolean);
  const tryIt = tried && <TryIt id={`try-${id}`} contract={source.contract} {...tried} />;
  const content = (
    <div className={classes.section}>
      <div>
        {!isFolded && !tryIt && heading}
        {blocks.map((block, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a page never change
          <TextOf key={index} block={block} isFolded={isFolded} source={source} />
        ))}
      </div>
      {code.length > 0 && (
        <Stack className={classes.code ?? ''} gap="md">
          {code}
        </Stack>
      )}
    </div>
  );
  if (blocks.length === 0) return heading;
  if (!isFolded)
    return (
      <section aria-label={title}>
        {tryIt && heading}
        {tryIt}
        {content}
      </section>
    );
  return (
    <details className={classes.folded}>
      <summary>
        {heading}{' '}
        <Text span size="sm" c="dimmed">
          {summary}
        </Text>
      </summary>
      {tryIt}
      {content}
    </details>
  );
}

function TextOf({ block, isFolded, source: { contract } }: { block: Block; isFolded: boolean; source: DocsSource }) {
  switch (block.kind) {
    case 'text':
      return <RichText text={block.text} />;
    case 'operation':
      return <OperationText id={block.entry.id} isFolded={isFolded} operation={describeOperation(contract, block.entry)} />;
    case 'record':
      return <FieldList label="Fields of a record" fields={recordFields(contract)} idPrefix="record-" />;
    case 'errors':
      return <ErrorList contract={contract} />;
    default:
      return null;
  }
}

function codeOf(block: Block, { contract, texts }: DocsSource) {
  switch (block.kind) {
    case 'example': {
      const { title, codes, answer } = block.example;
      const whole = answerOf(contract, block.example);
      return (
        <Stack key={title} gap="xs">
          <CodeTabs title={title} codes={codes} {...(whole === undefined && { answer })} />
          {whole !== undefined && <JsonBlock title="Answer" label={`${title}: the answer`} value={whole} openDepth={2} />}
        </Stack>
      );
    }
    case 'program':
      return <Codes key={block.name} title="Program" label={`Program ${block.name}`} codes={programs(block.name, texts, site.origin)} />;
    case 'operation': {
      const { name, request, answer } = describeOperation(contract, block.entry);
      return (
        <Stack key={name} gap="xs">
          <Codes title="Request" label={`Request: ${name}`} codes={request} />
          {answer !== undefined && <JsonBlock title="Answer" label={`Answer: ${name}`} value={answer} />}
        </Stack>
      );
    }
    case 'record':
      return <JsonBlock key="record" title="A complete record" label="A complete record" value={sampleRecord(contract)} />;
    default:
      return null;
  }
}

/** The operation or example of a part that can be called right here. */
function triedBy(block: Block, { contract }: DocsSource): Omit<TryPanelProps, 'contract'> | undefined {
  if (block.kind === 'operation') return isCallable(block.entry) ? { entry: block.entry } : undefined;
  const request = block.kind === 'example' ? block.example.request : undefined;
  const entry = request && entryOf(contract, request);
  return entry && { entry, request };
}

interface CodesProps {
  title: string;
  /** Names the block for screen readers. */
  label: string;
  codes: Partial<Record<Language, string>>;
}

function Codes({ title, label, codes }: CodesProps) {
  const [only, ...others] = Object.values(codes);
  if (only === undefined) return null;
  return others.length === 0 ? <CodeBlock title={title} label={label} code={here(only)} /> : <CodeTabs title={title} codes={codes} />;
}

/** Every error with its cure. */
function ErrorList({ contract }: { contract: OpenApi }) {
  return (
    <ul className={classes.fields} aria-label="All errors">
      {errorsOf(contract).map(({ code, status, meaning, cure }) => (
        <li key={code} id={`error-${code}`}>
          <Code fw={700}>{code}</Code>{' '}
          <Text span size="sm" c="dimmed">
            {status}
          </Text>
          <RichText text={`${meaning} ${cure}`} size="sm" />
        </li>
      ))}
    </ul>
  );
}

/** @param isFolded its summary stands above what is folded */
function OperationText({ id, isFolded, operation }: { id: string; isFolded: boolean; operation: OperationDoc }) {
  const { name, summary, credential, description, parameters, body, answers, errors } = operation;
  return (
    <>
      <Group gap="xs" mb="sm">
        {!isFolded && <Text fw={600}>{summary}</Text>}
        <Badge variant="default" tt="none">
          {credential}
        </Badge>
      </Group>
      {description && <RichText text={description} />}
      <FieldList label={`Parameters of ${name}`} fields={parameters} idPrefix={`${id}-`} />
      <FieldList label={`Body of ${name}`} fields={body} />
      {answers.map(({ status, description: meaning, fields }) => (
        <div key={status}>
          <Group gap="xs" align="baseline" wrap="nowrap" mt="md">
            <Code fw={700} flex="none">
              {status}
            </Code>
            <RichText text={meaning} />
          </Group>
          <FieldList label={`Answer ${status} of ${name}`} fields={fields} />
        </div>
      ))}
      <Text mt="md" size="sm">
        Errors:{' '}
        {errors.map(({ status, codes, isOfSignIn, meaning }, index) => (
          <span key={status}>
            {index > 0 && ', '}
            {isOfSignIn ? <ErrorLink anchor="sign-in-errors">{status}</ErrorLink> : status} {meaning && inlineParts(`(${meaning})`)}
            {codes.map((code, position) => (
              <span key={code}>
                {position > 0 && ' or '}
                <ErrorLink anchor={`error-${code}`}>{code}</ErrorLink>
              </span>
            ))}
          </span>
        ))}
      </Text>
    </>
  );
}

const ErrorLink = ({ anchor, children }: { anchor: string; children: string }) => (
  <TextLink href={`${paths.docsErrors}#${anchor}`}>{children}</TextLink>
);

/** Fields or parameters. @param idPrefix each gets an id: this prefix and its name */
function FieldList({ label, fields, idPrefix }: { label: string; fields: Field[]; idPrefix?: string }) {
  if (fields.length === 0) return null;
  return (
    <ul className={classes.fields} aria-label={label}>
      {fields.map(({ name, facts, meaning, example }) => (
        <li key={name} {...(idPrefix && { id: idPrefix + name })}>
          <Code fw={700}>{name}</Code>{' '}
          <Text span size="sm" c="dimmed">
            {facts.join(' · ')}
          </Text>
          {meaning && <RichText text={meaning} size="sm" />}
          {example && (
            <Text size="sm" c="dimmed">
              Example: <Code>{example}</Code>
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}
