import { Group, Text } from '@mantine/core';
import { formatCount } from '../format/format.js';
import { type CoverageKind, coverageKinds } from '../public-api.js';
import { statusWords } from './status.js';
import classes from './status-legend.module.css';

/** The legend of the map: the colour, name, meaning and number of counties of each status that occurs. */
export function StatusLegend({ counts }: { counts: Partial<Record<CoverageKind, number>> }) {
  return (
    <dl className={classes.list}>
      {coverageKinds
        .map((kind) => ({ kind, count: counts[kind] ?? 0 }))
        .filter(({ count }) => count > 0)
        .map(({ kind, count }) => (
          <div key={kind} className={classes.row}>
            <Group component="dt" gap="xs" wrap="nowrap">
              <span className={`${classes.swatch} ${classes[kind]}`} />
              <span>
                <Text span fw={600}>
                  {statusWords[kind].label}
                </Text>
                <Text span size="sm" c="dimmed">
                  {' '}
                  {statusWords[kind].meaning}
                </Text>
              </span>
            </Group>
            <Text component="dd" m={0} fw={600} className={classes.count}>
              {formatCount(count)}
            </Text>
          </div>
        ))}
    </dl>
  );
}
