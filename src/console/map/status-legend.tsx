import { Group, Text } from '@mantine/core';
import { formatCount } from '../parts/format.js';
import { type CountyStatus, countyStatuses } from '../public-api.js';
import classes from './status-legend.module.css';
import { statusWords } from './status-words.js';

/** The legend of the map with the national totals: for each status a colour, a count, a name and its meaning. */
export function StatusLegend({ counts }: { counts: Record<CountyStatus, number> | undefined }) {
  return (
    <dl className={classes.list}>
      {countyStatuses.map((status) => (
        <div key={status} className={classes.row}>
          <Group component="dt" gap="xs" wrap="nowrap">
            <span className={`${classes.swatch} ${classes[status]}`} />
            <span>
              <Text span fw={600}>
                {statusWords[status].label}
              </Text>
              <Text span size="sm" c="dimmed">
                {' '}
                {statusWords[status].meaning}
              </Text>
            </span>
          </Group>
          <Text component="dd" m={0} fw={600} className={classes.count}>
            {counts ? formatCount(counts[status]) : '…'}
          </Text>
        </div>
      ))}
    </dl>
  );
}
