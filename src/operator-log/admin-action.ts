import { GraphQLJSON } from 'graphql-scalars';
import { Field, ID, ObjectType } from 'type-graphql';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@ObjectType({ description: 'An entry of the activity log: one action of an operator.' })
@Entity('admin_action')
export class AdminAction {
  @Field(() => ID)
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: string;

  @Field()
  @Column('timestamptz')
  at: Date;

  @Field({ description: "The id of the operator's account, or `command line`." })
  @Column('text')
  actor: string;

  @Field()
  @Column('text')
  action: string;

  @Field({ description: 'The id of what the action changed.' })
  @Column('text')
  target: string;

  @Field(() => String, { nullable: true, description: 'The reason that the operator gave; null without one.' })
  @Column('text', { nullable: true })
  reason: string | null;

  @Field(() => GraphQLJSON, { nullable: true, description: 'The changed values before the action; null if it changed none.' })
  @Column('jsonb', { nullable: true })
  before: object | null;

  @Field(() => GraphQLJSON, { nullable: true, description: 'The changed values after the action; null if it changed none.' })
  @Column('jsonb', { nullable: true })
  after: object | null;
}
