import { Column, Entity, PrimaryColumn } from 'typeorm';

// `sum-usage.ts` writes both after a day has ended. What came since is summed when it is asked for (`usage-sums.ts`).

/** What the entries of an hour add up to. Customers' days are made of them, which begin at other hours than ours. */
@Entity('usage_hour')
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

/** What the entries of a day (UTC) add up to, for operators. */
@Entity('usage_day')
export class UsageDayEntity {
  @PrimaryColumn('timestamptz', { primaryKeyConstraintName: 'usage_day_pkey' })
  day: Date;

  @PrimaryColumn('uuid', { name: 'balance_id', primaryKeyConstraintName: 'usage_day_pkey' })
  balanceId: string;

  @Column('integer')
  reads: number;

  @Column('integer')
  records: number;

  @Column('bigint', { name: 'overage_cents' })
  overageCents: string;

  @Column('integer')
  grants: number;

  /** Those that read. */
  @Column('integer')
  tokens: number;
}
