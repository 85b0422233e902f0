import { Box, Progress, Text } from '@mantine/core';
import { useRef } from 'react';
import { formatShare, plural } from '../../format.js';
import type { LoadJobRowFragment } from '../../graphql/operations.js';

/** How often a load that is under way is asked for. */
export const loadPollMs = 1000;

type Job = Pick<LoadJobRowFragment, 'fileName' | 'bytesRead' | 'bytesTotal' | 'rowsRead'>;

/** How far a running load is: rows, share and time left. The progress of a load on the command line is only known in its terminal. */
export function LoadProgress({ job: { fileName, rowsRead, ...job } }: { job: Job }) {
  const [read, total] = [Number(job.bytesRead), Number(job.bytesTotal)];
  const secondsLeft = useSecondsLeft(read, total);
  if (total === 0) return null;
  const words = [
    rowsRead > 0 ? plural(rowsRead, 'row') : 'reading',
    formatShare(read, total),
    read >= total ? 'finishing' : secondsLeft !== null && `${describeSeconds(secondsLeft)} left`,
  ];
  return (
    <Box display="inline-block">
      <Text size="sm">{words.filter(Boolean).join(' · ')}</Text>
      <Progress value={(100 * read) / total} miw={140} aria-label={`Progress of ${fileName}`} />
    </Box>
  );
}

// The first rows say little about the speed of all.
const observedMs = 3000;

/** Estimated by the speed since this page shows the load; null at first. */
function useSecondsLeft(read: number, total: number): number | null {
  const first = useRef({ at: performance.now(), read });
  // Before the first bytes it may wait for another load. Fetched data is read from its start once more.
  if (first.current.read === 0 || read < first.current.read) first.current = { at: performance.now(), read };
  const done = read - first.current.read;
  const elapsedMs = performance.now() - first.current.at;
  return done > 0 && elapsedMs >= observedMs ? (elapsedMs / 1000) * ((total - read) / done) : null;
}

function describeSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
