import { Anchor, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { formatShare } from '../format/format.js';
import { paths } from '../paths.js';
import classes from './fill-rates.module.css';

/** How full each field is in all records of the county, as bars. */
export function FillRates({ rates }: { rates: { field: string; share: number }[] }) {
  return (
    <section aria-labelledby="fields-title">
      <Title order={2} size="h3" id="fields-title" mb={4}>
        How full the records are
      </Title>
      <Text mb="md" c="dimmed">
        The share of records that have a value in each field.{' '}
        <Anchor component={Link} href={paths.docsRecord} underline="always">
          What the fields mean
        </Anchor>
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
    </section>
  );
}
