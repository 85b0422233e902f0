import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * What the entries of an hour add up to, by balance, token and county. `sum-usage.ts` writes the hours of a day after it has ended; later
 * ones are summed when they are asked for (`usage-sums.ts`).
 */
@Entity('usage_hour')
@Index('usage_hour_hour', ['hour'])
export class UsageHourEntity {
  @PrimaryColumn('uuid', { name: 'balance_id', primaryKeyConstraintName: 'usage_hour_pkey' })
  balanceId: string;

  @PrimaryColumn('timestamptz', { primaryKeyConstraintName: 'usage_hour_pkey' })
  hour: Date;

  /** All zeros: no token, as in a grant. */
  @PrimaryColumn('uuid', { name: 'token_id', primaryKeyConstraintName: 'usage_hour_pkey' })
  tokenId: string;

  /** Empty: no county. */
  @PrimaryColumn('text', { name: 'county_fips', primaryKeyConstraintName: 'usage_hour_pkey' })
  countyFips: string;

  /** A read of several counties counts in the first one. */
  @Column('integer')
  reads: number;

  /** A read of several counties counts in each. */
  @Column('integer', { name: 'county_reads' })
  countyReads: number;

  /** Less those reversed in this hour; of the overage and the cents too. */
  @Column('integer')
  records: number;

  @Column('integer', { name: 'overage_records' })
  overageRecords: number;

  @Column('bigint', { name: 'overage_cents' })
  overageCents: string;

  @Column('integer')
  grants: number;
}
