import { Entity, PrimaryColumn } from 'typeorm';

/** A balance of which overage was taken back since billing looked at it. */
@Entity('overage_change')
export class OverageChangeEntity {
  @PrimaryColumn('uuid', { name: 'balance_id', primaryKeyConstraintName: 'overage_change_pkey' })
  balanceId: string;
}
