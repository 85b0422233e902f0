import { Title } from '@mantine/core';
import { type OpenApi, referenceEntries } from './openapi.js';
import { OperationSection } from './operation-section.js';
import { RichText } from './rich-text.js';

/** Every operation of the API, rendered from `/openapi.json`. */
export function Reference({ document }: { document: OpenApi }) {
  const entries = referenceEntries(document);
  const groups = document.tags ?? [{ name: '' }];
  return (
    <>
      {groups.map(({ name, description }) => (
        <section key={name} aria-label={name || 'Operations'}>
          {name && (
            <Title order={2} size="h3" mt="xl" mb="sm" tt="capitalize">
              {name}
            </Title>
          )}
          {description && <RichText text={description} />}
          {entries
            .filter(({ operation }) => !name || operation.tags?.includes(name))
            .map((entry) => (
              <OperationSection key={entry.id} document={document} {...entry} />
            ))}
        </section>
      ))}
    </>
  );
}
