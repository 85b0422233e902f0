import { Title } from '@mantine/core';
import { methods, type OpenApi, type Operation } from './openapi.js';
import { OperationSection } from './operation-section.js';
import { RichText } from './rich-text.js';

export interface ReferenceEntry {
  id: string;
  method: string;
  path: string;
  operation: Operation;
}

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

export function referenceEntries(document: OpenApi): ReferenceEntry[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      const id = operation.operationId ?? `${method}${path.replace(/\W+/g, '-')}`;
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return [{ id, method, path, operation: { ...operation, parameters } }];
    }),
  );
}
