/**
 * Reasons for rejecting rows that the county never meant as parcels. They do not show that a file was misunderstood, so they do not count
 * against the share of rows that may be rejected.
 */
export const nonParcelReasons = {
  header: 'The column names again, not a record',
  note: 'A note below the table, not a record',
  totals: 'A line of totals, not a parcel',
};

const reasons: ReadonlySet<string> = new Set(Object.values(nonParcelReasons));

export const isNonParcelReason = (reason: string): boolean => reasons.has(reason);
