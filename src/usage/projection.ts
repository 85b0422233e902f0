/** A period as it stands at a moment of the database's clock. */
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

// Ten records in the first minute are not 400,000 a month.
const minPaceMs = 24 * 60 * 60 * 1000;

/** Overage records at the period's end if reading goes on at the pace of the period so far. Integers only, rounded down. */
export function projectOverage(period: PeriodSoFar): number {
  const { startedAt, endsAt, now, usedRecords, includedLeft, overageRecords, overageCap } = period;
  if (now >= endsAt) return overageRecords;
  const elapsedMs = BigInt(Math.max(now.getTime() - startedAt.getTime(), minPaceMs));
  const leftMs = BigInt(endsAt.getTime() - now.getTime());
  const furtherRecords = Number((BigInt(usedRecords) * leftMs) / elapsedMs);
  const projected = overageRecords + Math.max(0, furtherRecords - includedLeft);
  return overageCap === null ? projected : Math.max(overageRecords, Math.min(projected, overageCap));
}
