import { formatCount, formatUsd } from './format/format.js';
import type { PlansQuery } from './graphql/operations.js';

const { trialPlan, paidPlan }: PlansQuery = JSON.parse(document.querySelector<HTMLMetaElement>('meta[name="plans"]')!.content);

/** The plans as pages name them. The server wrote their numbers into the page, so that nothing waits for them. */
export const plans = {
  trial: { records: formatCount(trialPlan.records), days: formatCount(trialPlan.lifetimeDays) },
  paid: {
    price: formatUsd(paidPlan.priceUsd).replace(/\.00$/, ''),
    records: formatCount(paidPlan.includedRecords),
    overage: formatUsd(paidPlan.overageUsd),
  },
};
