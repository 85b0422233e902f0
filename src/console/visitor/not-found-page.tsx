import { Container } from '@mantine/core';
import { NotFound } from '../shell/not-found.js';
import { SiteFrame } from '../shell/site-frame.js';

export function NotFoundPage() {
  return (
    <SiteFrame title="This page does not exist – Parcel Records">
      <Container size="sm" py={80}>
        <NotFound />
      </Container>
    </SiteFrame>
  );
}
