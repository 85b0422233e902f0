import { Box, Button, Container, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { paths } from '../paths.js';

interface PageProps {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The titles of the pages of this document that were opened, by path: the latest is last. */
export const opened = new Map<string, string>();

/** A page of the console: its title (also the window's), its actions and its content. */
export function Page({ title, description, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} – Parcel Records`;
    opened.delete(window.location.pathname);
    opened.set(window.location.pathname, title);
  }, [title]);
  return (
    <Box maw={1500} mx="auto">
      <Group justify="space-between" align="flex-start" mb="lg">
        <div>
          <Title order={1} size="h2">
            {title}
          </Title>
          {description && (
            <Text c="dimmed" mt={4} maw="70ch" component="div">
              {description}
            </Text>
          )}
        </div>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </Box>
  );
}

/** Shown while the script of a page is loading. */
export function PageSkeleton() {
  return (
    <Container size="lg" py="xl" mih="100vh" aria-busy="true">
      <Stack>
        <Skeleton height={36} width="40%" mt={60} />
        <Skeleton height={18} width="70%" />
        <Skeleton height={320} mt="md" />
      </Stack>
    </Container>
  );
}

export function NotFound() {
  return (
    <Page title="This page does not exist">
      <Text mb="md">The address may be wrong, or the page has moved.</Text>
      <Button component={Link} href={paths.home}>
        Go to the home page
      </Button>
    </Page>
  );
}
