import { GraphQLJSON } from 'graphql-scalars';
import type { Pool, PoolClient } from 'pg';
import { Field, ID, ObjectType } from 'type-graphql';

@ObjectType({ description: 'Something that an operator did.' })
export class AdminAction {
  @Field(() => ID)
  id: string;

  @Field()
  at: Date;

  @Field({ description: "The id of the operator's account, or `command line`." })
  actor: string;

  @Field(() => String, { nullable: true, description: 'The e-mail address of that account.' })
  actorEmail: string | null;

  @Field()
  action: string;

  @Field({ description: 'The id of what it was done to.' })
  target: string;

  @Field(() => String, { nullable: true, description: 'The e-mail address, if the target is an account.' })
  targetEmail: string | null;

  @Field(() => String, { nullable: true })
  reason: string | null;

  @Field(() => GraphQLJSON, { nullable: true })
  before: object | null;

  @Field(() => GraphQLJSON, { nullable: true })
  after: object | null;
}

/** One action to write down. `before` and `after` hold what changed, never a password or a token. */
export interface AdminActionInput {
  actor: string;
  action: string;
  target: string;
  reason: string | null;
  before?: object | null;
  after?: object | null;
}

/** What operators did. Rooms write their own deeds here, inside the transaction that does them. */
export class AuditLog {
  constructor(private readonly pool: Pool) {}

  async write(
    { actor, action, target, reason, before = null, after = null }: AdminActionInput,
    db: Pool | PoolClient = this.pool,
  ): Promise<void> {
    await db.query(`insert into admin_action (actor, action, target, reason, before, after) values ($1, $2, $3, $4, $5, $6)`, [
      actor,
      action,
      target,
      reason,
      before,
      after,
    ]);
  }

  /** Newest first; of one target, or of all. */
  async list(target: string | null, limit: number, offset: number): Promise<AdminAction[]> {
    const { rows } = await this.pool.query<AdminAction>(
      `select a.id, a.at, a.actor, actor.email as "actorEmail", a.action, a.target, target.email as "targetEmail", a.reason, a.before, a.after
         from admin_action a
         left join auth."user" actor on actor.id = a.actor
         left join auth."user" target on target.id = a.target
        where $1::text is null or a.target = $1
        order by a.id desc
        limit $2 offset $3`,
      [target, limit, offset],
    );
    return rows;
  }
}
