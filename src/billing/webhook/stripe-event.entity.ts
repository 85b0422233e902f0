import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

export type EventState = 'stored' | 'handled' | 'ignored' | 'failed';

/** A verified webhook event of Stripe, stored and handled exactly once. */
@Entity('stripe_event')
@Check('stripe_event_state_known', `state in ('stored', 'handled', 'ignored', 'failed')`)
@Check('stripe_event_kept_until_settled', `payload is not null or state in ('handled', 'ignored')`)
export class StripeEventEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'stripe_event_pkey' })
  id: string;

  @Column('text')
  type: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'received_at', default: () => 'service_now()' })
  receivedAt: Date;

  @Column('text', { default: 'stored' })
  state: EventState;

  @Column('timestamptz', { name: 'handled_at', nullable: true })
  handledAt: Date | null;

  @Column('integer', { default: 0 })
  attempts: number;

  @Column('text', { nullable: true })
  error: string | null;

  /** The signed body; null: deleted 30 days after the event was handled. */
  @Column('json', { nullable: true, select: false })
  payload: object | null;
}
