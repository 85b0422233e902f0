/**
 * Why rows are rejected that the county never meant as parcels: lines around a table. They say nothing of how well the others were
 * understood, so they do not count where too many rejected rows speak against a load.
 */
export const noParcel = {
  header: 'The names of the columns once more, not a record',
  note: 'A note below the table, not a record',
  totals: 'A line of totals, not a parcel',
};

const reasons: ReadonlySet<string> = new Set(Object.values(noParcel));

export const isNoParcel = (reason: string): boolean => reasons.has(reason);
