import { Container, Skeleton, Stack } from '@mantine/core';

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
