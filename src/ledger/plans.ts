/** The two plans of the specification. The only place where their numbers stand. */
export const plans = {
  trial: { records: 50, lifetimeDays: 30 },
  paid: { priceCents: 5900, includedRecords: 4000, overageUnitCents: 5 },
} as const;

export type PlanName = keyof typeof plans;
