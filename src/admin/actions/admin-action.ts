import { GraphQLJSON } from 'graphql-scalars';
import { ArgsType, Field, ID, ObjectType } from 'type-graphql';
import { SearchedPageArgs } from '../../core/page.args.js';

@ArgsType()
export class AdminActionArgs extends SearchedPageArgs {
  @Field(() => ID, {
    nullable: true,
    description: 'Only actions on this balance, token, county or account (with its balances and tokens).',
  })
  target?: string;
}

@ObjectType({ description: 'An entry of the activity log: one action of an operator.' })
export class AdminAction {
  @Field(() => ID)
  id: string;

  @Field()
  at: Date;

  @Field({ description: "The id of the operator's account, or `command line`." })
  actor: string;

  @Field(() => String, { nullable: true, description: "The operator's email address; null for the command line." })
  actorEmail: string | null;

  @Field()
  action: string;

  @Field({ description: 'The id of what the action changed.' })
  target: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The account that the action changed, or that owns the changed balance or token; null for other targets.',
  })
  accountId: string | null;

  @Field(() => String, { nullable: true, description: 'The email address of that account; null without one.' })
  targetEmail: string | null;

  @Field(() => String, { nullable: true, description: 'The reason that the operator gave; null without one.' })
  reason: string | null;

  @Field(() => GraphQLJSON, { nullable: true, description: 'The changed values before the action; null if it changed none.' })
  before: object | null;

  @Field(() => GraphQLJSON, { nullable: true, description: 'The changed values after the action; null if it changed none.' })
  after: object | null;
}
