import { Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** One of the numbered steps of a load. */
export function LoadStep({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  const id = `load-step-${number}`;
  return (
    <section aria-labelledby={id}>
      <Title order={2} size="h4" id={id} mb="sm">
        {number}. {title}
      </Title>
      {children}
    </section>
  );
}
