import { formatCount, formatUsd } from './format/format.js';
import { site } from './site.js';

const { trialPlan, paidPlan } = site;

/** The plans as shown on pages. */
export const plans = {
  trial: { records: formatCount(trialPlan.records), days: formatCount(trialPlan.lifetimeDays) },
  paid: {
    /** Whether it can be bought here. If not, nothing links to Billing. */
    isSold: paidPlan.isConfigured,
    price: formatUsd(paidPlan.priceUsd).replace(/\.00$/, ''),
    records: formatCount(paidPlan.includedRecords),
    overage: formatUsd(paidPlan.overageUsd),
  },
};
