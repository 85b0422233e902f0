import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { CreditBalanceEntity } from './credit-balance.entity.js';

/** A token as it is stored. */
@Entity('api_token')
@Index('api_token_id', ['id'])
export class ApiTokenEntity {
  @PrimaryColumn('uuid', { name: 'balance_id', primaryKeyConstraintName: 'api_token_pkey' })
  balanceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'api_token_pkey' })
  id: string;

  @ManyToOne(() => CreditBalanceEntity)
  @JoinColumn({ name: 'balance_id', foreignKeyConstraintName: 'api_token_balance_fkey' })
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
