import { Box, type BoxProps, Group, Title, type TitleProps } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface SectionProps extends BoxProps {
  /** For links to it. */
  id?: string;
  title: ReactNode;
  size?: TitleProps['size'];
  /** Beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a page under its title, which names it for screen readers. */
export function Section({ title, size = 'h4', actions, children, ...box }: SectionProps) {
  const titleId = useId();
  return (
    <Box component="section" aria-labelledby={titleId} {...box}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size={size} id={titleId}>
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Box>
  );
}
