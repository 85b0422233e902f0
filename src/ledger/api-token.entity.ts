import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { CreditBalanceEntity } from './credit-balance.entity.js';

/** A token as it is stored. */
@Entity('api_token')
export class ApiTokenEntity {
  @PrimaryColumn('uuid', { name: 'balance_id' })
  balanceId: string;

  @PrimaryColumn('uuid')
  id: string;

  @ManyToOne(() => CreditBalanceEntity)
  @JoinColumn({ name: 'balance_id' })
  balance: CreditBalanceEntity;

  @Column('text', { name: 'account_id' })
  accountId: string;

  @Column('text')
  name: string;

  @Column('timestamptz', { name: 'issued_at' })
  issuedAt: Date;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null;
}
