import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { centsOf, formatCents, formatUsd, plural } from '../../format/format.js';
import type { BillingQuery } from '../../graphql/operations.js';

type Plan = BillingQuery['paidPlan'];

interface OverageCapInputProps {
  plan: Plan;
  capUsd: string | null;
  hasFocus?: boolean;
  isRequired?: boolean;
}

// Up to the server's bound of a billion records.
const amount = '[1-4]?[0-9]{1,7}(\\.[0-9]{1,2})?|50000000(\\.00?)?';
const isAmount = new RegExp(`^(${amount})$`);

/** The field `cap` of a form: the most that overage may cost in a period, in dollars, or empty for no cap. It says what that means. */
export function OverageCapInput({ plan, capUsd, hasFocus = false, isRequired = false }: OverageCapInputProps) {
  const [cap, setCap] = useState(capUsd?.replace(/\.00$/, '') ?? '');
  return (
    <div>
      <TextInput
        label="Overage cap per period, in dollars"
        description={isRequired ? undefined : 'Leave empty for no cap. You can change it at any time.'}
        required={isRequired}
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
        {cap === '' && !isRequired && `No cap: each additional record costs ${formatUsd(plan.overageUsd)}, with no upper limit.`}
        {isAmount.test(cap) && meaningOf(capOf(cap, plan)!, plan)}
      </Text>
    </div>
  );
}

function meaningOf(records: number, { priceUsd, overageUsd }: Plan): string {
  if (records === 0) return 'No overage: when the included records are used up, requests are refused until the next period.';
  const most = centsOf(priceUsd) + records * centsOf(overageUsd);
  return `Up to ${plural(records, 'overage record')}, for at most ${formatCents(most)} a month in total before taxes. At the cap, requests are refused until the next period.`;
}

/** The value of the field in records; null for no cap. An amount between two records is rounded down. */
export const capOf = (usd: string, { overageUsd }: Plan): number | null =>
  usd === '' ? null : Math.floor(centsOf(usd) / centsOf(overageUsd));
