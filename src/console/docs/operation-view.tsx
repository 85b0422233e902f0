import { Badge, Code, Group, Text } from '@mantine/core';
import type { OperationDoc } from '../../docs/operations.js';
import { paths } from '../paths.js';
import { TextLink } from '../ui/links.js';
import { FieldList } from './field-list.js';
import { inlineParts, RichText } from './rich-text.js';

/** What an operation does, takes and answers. @param isFolded its summary stands above what is folded */
export function OperationText({ id, isFolded, operation }: { id: string; isFolded: boolean; operation: OperationDoc }) {
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
