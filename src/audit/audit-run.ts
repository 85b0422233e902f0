import { Field, Int, ObjectType } from 'type-graphql';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { AuditFinding } from '../ledger/books-check.js';
import { chainInvariant } from './entries/entry-rules.js';

@ObjectType({ description: 'The result of one invariant check.' })
export class AuditCheck {
  @Field()
  name: string;

  @Field()
  ok: boolean;

  @Field(() => String, { nullable: true, description: 'The first violation; null if the invariant holds.' })
  detail: string | null;
}

@ObjectType({ description: 'An audit: all invariants of the ledger and billing, checked on the running system.' })
@Entity('audit_run')
export class AuditRun {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Field()
  @Column('timestamptz', { name: 'ran_at', default: () => 'service_now()' })
  ranAt: Date;

  /** An account's id, `commandLine` or `schedule`. */
  @Column('text')
  actor: string;

  @Column('jsonb')
  findings: AuditFinding[];

  @Field({ description: 'Whether all invariants hold.' })
  get ok(): boolean {
    return this.findings.every(({ firstBreak }) => firstBreak === null);
  }

  @Field(() => Int, { description: 'Ledger entries whose hashes were recomputed.' })
  get entriesChecked(): number {
    return this.findings.find(({ invariant }) => invariant === chainInvariant)?.checked ?? 0;
  }

  @Field(() => [AuditCheck])
  get checks(): AuditCheck[] {
    return this.findings.map(({ invariant, firstBreak }) => ({ name: invariant, ok: firstBreak === null, detail: firstBreak }));
  }
}
