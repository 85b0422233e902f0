import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';

export enum JobState {
  waiting = 'waiting',
  running = 'running',
  failed = 'failed',
}
registerEnumType(JobState, { name: 'JobState', description: 'The state of a job; failed means that it has used all its attempts.' });

@ObjectType({ description: 'A background job. Its payload is not shown, since it may contain an email.' })
export class Job {
  @Field(() => ID)
  id: string;

  @Field()
  task: string;

  @Field(() => JobState)
  state: `${JobState}`;

  @Field(() => Int, { description: 'How many times the job was started.' })
  attempts: number;

  @Field(() => Int)
  maxAttempts: number;

  @Field(() => String, { nullable: true, description: 'Why the latest attempt failed; null if none did.' })
  lastError: string | null;

  @Field({ description: 'When the job is or was due.' })
  runAt: Date;

  @Field()
  createdAt: Date;
}
