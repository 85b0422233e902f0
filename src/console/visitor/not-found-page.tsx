import { Button, Container, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { SiteFrame } from '../parts/site-frame.js';
import { paths } from '../paths.js';

export function NotFoundPage() {
  return (
    <SiteFrame title="Not found – Parcel Records">
      <Container size="sm" py={80}>
        <Title order={1}>This page does not exist</Title>
        <Text my="md">The address may be mistyped, or the page has moved.</Text>
        <Button component={Link} href={paths.home}>
          To the first page
        </Button>
      </Container>
    </SiteFrame>
  );
}
