import { ArgsType, Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { PageArgs } from '../../core/page.args.js';

export enum JobState {
  waiting = 'waiting',
  running = 'running',
  failed = 'failed',
}
registerEnumType(JobState, { name: 'JobState', description: 'failed: all its attempts are used up.' });

@ObjectType({ description: 'Work that the service does in the background. What it carries is not shown: it may be a mail.' })
export class Job {
  @Field(() => ID)
  id: string;

  @Field()
  task: string;

  @Field(() => JobState)
  state: 'waiting' | 'running' | 'failed';

  @Field(() => Int, { description: 'How often it was begun.' })
  attempts: number;

  @Field(() => Int)
  maxAttempts: number;

  @Field(() => String, { nullable: true, description: 'Why its latest attempt failed.' })
  lastError: string | null;

  @Field({ description: 'When it is due, or was.' })
  runAt: Date;

  @Field()
  createdAt: Date;
}

@ObjectType()
export class JobPage {
  @Field(() => [Job], { description: 'Failed ones first, then those that run, then by when they are due.' })
  jobs: Job[];

  @Field(() => Int, { description: 'How many there are in all.' })
  total: number;
}

@ArgsType()
export class JobsArgs extends PageArgs {
  @Field(() => JobState, { nullable: true })
  state?: JobState | null;
}
