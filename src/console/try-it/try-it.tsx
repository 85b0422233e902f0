import { Box, Button, Skeleton } from '@mantine/core';
import { Suspense, useEffect, useState } from 'react';
import { useLocationProperty } from 'wouter/use-browser-location';
import { lazyPage } from '../shell/page-boundary.js';
import classes from './try-it.module.css';
import type { TryPanelProps } from './try-panel.js';

const TryPanel = lazyPage(() => import('./try-panel.js'));

/** A button that opens the form to call an operation. Its script is loaded then. @param id a link with this anchor opens it, too */
export function TryIt({ id, ...panel }: TryPanelProps & { id: string }) {
  const [isOpen, setOpen] = useState(false);
  const hash = useLocationProperty(
    () => window.location.hash,
    () => '',
  );
  useEffect(() => {
    if (hash === `#${id}`) setOpen(true);
  }, [hash, id]);
  return (
    <Box id={id} mb="md" className={classes.place ?? ''}>
      <Button
        size="compact-md"
        aria-expanded={isOpen}
        aria-label={`Try it: ${panel.entry.method.toUpperCase()} ${panel.entry.path}`}
        onClick={() => setOpen(!isOpen)}
      >
        Try it
      </Button>
      {isOpen && (
        <Suspense fallback={<Skeleton height={420} mt="md" aria-busy="true" />}>
          <TryPanel {...panel} />
        </Suspense>
      )}
    </Box>
  );
}
