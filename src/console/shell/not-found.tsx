import { Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import { paths } from '../paths.js';
import { Page } from './page.js';

export function NotFound() {
  return (
    <Page title="This page does not exist">
      <Text mb="md">The address may be mistyped, or the page has moved.</Text>
      <Button component={Link} href={paths.home}>
        To the first page
      </Button>
    </Page>
  );
}
