import { formatCount, formatUsd } from './format/format.js';
import type { PlansQuery } from './graphql/operations.js';

/** The plans' numbers. The server writes them into the HTML, so no request is needed. */
export const planNumbers: PlansQuery = JSON.parse(document.querySelector<HTMLMetaElement>('meta[name="plans"]')!.content);
const { trialPlan, paidPlan } = planNumbers;

/** The plans as shown on pages. */
export const plans = {
  trial: { records: formatCount(trialPlan.records), days: formatCount(trialPlan.lifetimeDays) },
  paid: {
    price: formatUsd(paidPlan.priceUsd).replace(/\.00$/, ''),
    records: formatCount(paidPlan.includedRecords),
    overage: formatUsd(paidPlan.overageUsd),
  },
};
