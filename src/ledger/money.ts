/** Cents as a decimal string of dollars: 1234n → '12.34'. Money is never a float. */
export function usd(cents: bigint): string {
  const sign = cents < 0n ? '-' : '';
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** A row as the database has it: its overage in cents, as text, since they may exceed what a number holds exactly. */
export type InCents<Row extends { overageUsd: string }> = Omit<Row, 'overageUsd'> & { overageCents: string };

/** The row as people see it: its overage in dollars. */
export const inUsd = <Row extends { overageUsd: string }>({ overageCents, ...row }: InCents<Row>): Row =>
  ({ ...row, overageUsd: usd(BigInt(overageCents)) }) as unknown as Row;
