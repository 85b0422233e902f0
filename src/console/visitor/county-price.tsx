import { Paper, Text, Title } from '@mantine/core';
import { formatCount, formatUsd } from '../format/format.js';
import { type CountyPageData, extentOf } from '../public-api.js';
import { Facts } from '../ui/facts.js';

export const priceTitleId = 'price-title';

/** The price of reading every record of the county once, to the cent, as computed by the server. */
export function CountyPrice({ page: { county, paidPlan } }: { page: CountyPageData }) {
  const extent = extentOf(county);
  const additional = Math.max(0, county.parcelCount - paidPlan.includedRecords);
  return (
    <section aria-labelledby={priceTitleId}>
      <Title order={2} size="h3" id={priceTitleId} mb={4}>
        {extent ? 'Price of the loaded records' : 'Price of the whole county'}
      </Title>
      <Text mb="md" c="dimmed">
        {extent && `The county is only partly loaded: ${extent}. `}
        What it costs to read every record once within one month of the paid plan. You pay only for records that are returned.
      </Text>
      <Paper withBorder p="lg" maw={560}>
        <Facts
          facts={[
            [`One month, with ${formatCount(paidPlan.includedRecords)} records`, formatUsd(paidPlan.priceUsd)],
            additional > 0 && [
              `${formatCount(additional)} additional records at ${formatUsd(paidPlan.overageUsd)} each`,
              formatUsd(county.furtherUsd),
            ],
            [`All ${formatCount(county.parcelCount)} records`, <strong key="total">{formatUsd(county.fullReadUsd)}</strong>],
          ]}
        />
      </Paper>
    </section>
  );
}
