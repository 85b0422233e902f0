import { Button, Code, Group } from '@mantine/core';
import { useState } from 'react';
import { paths } from '../paths.js';

/** Below a page that could not be shown: the ways out, and what to tell us. */
export function NextSteps({ error }: { error: Error }) {
  const [time] = useState(() => new Date().toISOString());
  const version = /[^/]+$/.exec(import.meta.url)?.[0];
  return (
    <>
      <Group mb="lg">
        <Button onClick={() => window.location.reload()}>Reload</Button>
        {/* Loaded as a new document, since this one is broken. */}
        <Button component="a" href={paths.home} variant="default">
          To the first page
        </Button>
      </Group>
      <Code block>{[`${error.name}: ${error.message}`, window.location.pathname, time, version].join('\n')}</Code>
    </>
  );
}
