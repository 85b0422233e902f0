/** A period at a moment of the database's clock. */
export interface PeriodSoFar {
  startedAt: Date;
  endsAt: Date;
  now: Date;
  /** Records read in the period: included ones and overage. */
  usedRecords: number;
  includedLeft: number;
  overageRecords: number;
  overageCap: number | null;
}

// The first hours do not predict a month: a customer who tries everything at once would be shown thousands of dollars.
const minElapsedMs = 3 * 24 * 60 * 60 * 1000;

/**
 * The overage records at the period's end if reading goes on at the current pace. Integers only, rounded down. Null in the first three
 * days of a period.
 */
export function projectOverage(period: PeriodSoFar): number | null {
  const { startedAt, endsAt, now, usedRecords, includedLeft, overageRecords, overageCap } = period;
  if (now >= endsAt) return overageRecords;
  const elapsed = now.getTime() - startedAt.getTime();
  if (elapsed < minElapsedMs) return null;
  const elapsedMs = BigInt(elapsed);
  const leftMs = BigInt(endsAt.getTime() - now.getTime());
  const furtherRecords = Number((BigInt(usedRecords) * leftMs) / elapsedMs);
  const projected = overageRecords + Math.max(0, furtherRecords - includedLeft);
  return overageCap === null ? projected : Math.max(overageRecords, Math.min(projected, overageCap));
}
