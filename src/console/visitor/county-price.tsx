import { Paper, Text, Title } from '@mantine/core';
import { formatCount, formatUsd } from '../format/format.js';
import type { CountyPageData } from '../public-api.js';
import { Facts } from '../ui/facts.js';

/** What reading every record of the county once costs, to the cent, as the server computes it. */
export function CountyPrice({ page: { county, paidPlan } }: { page: CountyPageData }) {
  const further = Math.max(0, county.parcelCount - paidPlan.includedRecords);
  return (
    <section aria-labelledby="price-title">
      <Title order={2} size="h3" id="price-title" mb={4}>
        What all of it costs
      </Title>
      <Text mb="md" c="dimmed">
        Every record read once within one month of the paid plan. Reading less costs less: you pay for the records that are returned.
      </Text>
      <Paper withBorder p="lg" maw={560}>
        <Facts
          facts={[
            [`A month, with ${formatCount(paidPlan.includedRecords)} records`, formatUsd(paidPlan.priceUsd)],
            further > 0 && [
              `${formatCount(further)} further records at ${formatUsd(paidPlan.overageUsd)} each`,
              formatUsd(county.furtherUsd),
            ],
            [`All ${formatCount(county.parcelCount)} records`, <strong key="total">{formatUsd(county.fullReadUsd)}</strong>],
          ]}
        />
      </Paper>
    </section>
  );
}
