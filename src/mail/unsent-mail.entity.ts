import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A mail of a service without a mail server. */
@Entity('unsent_mail')
export class UnsentMailEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'unsent_mail_pkey' })
  id: string;

  @Column('text')
  recipient: string;

  /** The message as a mail program would open it. */
  @Column('text')
  source: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'service_now()' })
  createdAt: Date;
}
