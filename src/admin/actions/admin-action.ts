import { GraphQLJSON } from 'graphql-scalars';
import { ArgsType, Field, ID, ObjectType } from 'type-graphql';
import { PageArgs } from '../../core/page.args.js';

@ArgsType()
export class AdminActionArgs extends PageArgs {
  @Field(() => ID, {
    nullable: true,
    description: 'Only what was done to this account with its balances and tokens, this balance, token or county.',
  })
  target?: string;
}

@ObjectType({ description: 'Something that an operator did.' })
export class AdminAction {
  @Field(() => ID)
  id: string;

  @Field()
  at: Date;

  @Field({ description: "The id of the operator's account, or `command line`." })
  actor: string;

  @Field(() => String, { nullable: true, description: "The operator's e-mail address." })
  actorEmail: string | null;

  @Field()
  action: string;

  @Field({ description: 'The id of what it was done to.' })
  target: string;

  @Field(() => ID, { nullable: true, description: 'The account that it was done to, or whose balance or token it was.' })
  accountId: string | null;

  @Field(() => String, { nullable: true, description: 'The e-mail address of that account.' })
  targetEmail: string | null;

  @Field(() => String, { nullable: true })
  reason: string | null;

  @Field(() => GraphQLJSON, { nullable: true })
  before: object | null;

  @Field(() => GraphQLJSON, { nullable: true })
  after: object | null;
}
