import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { centsOf, formatCents, formatUsd, plural } from '../../format/format.js';
import type { BillingQuery } from '../../graphql/operations.js';

type Plan = BillingQuery['paidPlan'];

interface OverageCapInputProps {
  plan: Plan;
  capUsd: string | null;
  hasFocus?: boolean;
}

// Up to the server's bound of a billion records.
const amount = '[1-4]?[0-9]{1,7}(\\.[0-9]{1,2})?|50000000(\\.00?)?';
const isAmount = new RegExp(`^(${amount})$`);

/** The field `cap` of a form: the most that overage may cost in a period, in dollars, or empty for no cap. It says what that means. */
export function OverageCapInput({ plan, capUsd, hasFocus = false }: OverageCapInputProps) {
  const [cap, setCap] = useState(capUsd?.replace(/\.00$/, '') ?? '');
  return (
    <div>
      <TextInput
        label="Cap on overage, in dollars a period"
        description="Empty means no cap. You can change it here at any time."
        name="cap"
        leftSection="$"
        inputMode="decimal"
        pattern={amount}
        title="An amount in dollars up to 50,000,000, or empty"
        value={cap}
        onChange={(event) => setCap(event.currentTarget.value)}
        data-autofocus={hasFocus || undefined}
        maw={320}
      />
      <Text size="sm" mt={4} role="status">
        {cap === '' && `No cap: each record beyond the included ones costs ${formatUsd(plan.overageUsd)}, however many you read.`}
        {isAmount.test(cap) && meaningOf(capOf(cap, plan)!, plan)}
      </Text>
    </div>
  );
}

function meaningOf(records: number, { priceUsd, overageUsd }: Plan): string {
  if (records === 0) return 'No overage: when the included records are used up, requests are refused until the next period.';
  const most = centsOf(priceUsd) + records * centsOf(overageUsd);
  return `At most ${plural(records, 'overage record')}, and ${formatCents(most)} a month in all, before taxes. At the cap, requests are refused until the next period.`;
}

/** The value of the field in records; null for no cap. An amount between two records is rounded down. */
export const capOf = (usd: string, { overageUsd }: Plan): number | null =>
  usd === '' ? null : Math.floor(centsOf(usd) / centsOf(overageUsd));
