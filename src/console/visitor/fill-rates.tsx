import { Text } from '@mantine/core';
import { formatShare } from '../format.js';
import { paths } from '../paths.js';
import { Section, TextLink } from '../ui/parts.js';
import classes from './fill-rates.module.css';

/** The fill rate of each field in all records of the county, as bars. */
export function FillRates({ rates }: { rates: { field: string; share: number }[] }) {
  return (
    <Section title="Fill rates" size="h3">
      <Text mb="md" c="dimmed">
        The share of records that have a value in each field. <TextLink href={paths.docsRecord}>What the fields mean</TextLink>
      </Text>
      <dl className={classes.list}>
        {rates.map(({ field, share }) => (
          <div key={field} className={classes.row}>
            <dt>{field}</dt>
            <dd>
              <span className={classes.track}>
                <span className={classes.bar} style={{ width: `${share * 100}%` }} />
              </span>
              <span className={classes.share}>{share === 0 ? 'none' : formatShare(share, 1)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
