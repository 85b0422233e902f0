import { Group, Title, type TitleProps } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface SectionProps {
  title: ReactNode;
  size?: TitleProps['size'];
  /** Beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a page under its title, which names it for screen readers. */
export function Section({ title, size = 'h4', actions, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size={size} id={id}>
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </section>
  );
}
