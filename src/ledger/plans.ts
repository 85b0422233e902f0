/** The two plans of the specification. This is the only place with their numbers. */
export const plans = {
  trial: { records: 50, lifetimeDays: 30 },
  paid: { priceCents: 5900, includedRecords: 4000, overageUnitCents: 5 },
} as const;

export type PlanName = keyof typeof plans;
