import { Container } from '@mantine/core';
import { NotFound } from '../parts/not-found.js';
import { SiteFrame } from '../parts/site-frame.js';

export function NotFoundPage() {
  return (
    <SiteFrame title="This page does not exist – Parcel Records">
      <Container size="sm" py={80}>
        <NotFound />
      </Container>
    </SiteFrame>
  );
}
