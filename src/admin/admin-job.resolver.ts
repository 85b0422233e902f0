import {
  Arg,
  Args,
  ArgsType,
  Authorized,
  Ctx,
  Field,
  ID,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  registerEnumType,
} from 'type-graphql';
import type { DataSource } from 'typeorm';
import { type Context, requireUser } from '../core/context.js';
import { AppError } from '../core/errors.js';
import { SearchedPageArgs } from '../core/page.args.js';
import { hasText } from '../core/parameters.js';
import { subjectAndRecipient } from '../jobs/private-tables.js';
import { recordAction } from '../operator-log/record-action.js';

enum JobState {
  waiting = 'waiting',
  running = 'running',
  failed = 'failed',
  kept = 'kept',
}
registerEnumType(JobState, {
  name: 'JobState',
  description: 'The state of a job; failed means that it has used all its attempts, kept that it is an email without a mail server.',
});

@ObjectType({ description: 'A background job, or an email that was kept. Its payload is not shown, since it may contain a link.' })
class Job {
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

  @Field(() => String, { nullable: true, description: 'The subject and the recipient of an email; null for other jobs.' })
  email: string | null;

  @Field(() => String, { nullable: true, description: 'Why the latest attempt failed, or why an email waits; null if neither is so.' })
  lastError: string | null;

  @Field({ description: 'When the job is or was due.' })
  runAt: Date;

  @Field()
  createdAt: Date;
}

@ObjectType()
class JobPage {
  @Field(() => [Job], { description: 'Failed jobs first, then running, waiting and kept ones, each by due time.' })
  jobs: Job[];

  @Field(() => Int, { description: 'The number of jobs on all pages.' })
  total: number;
}

@ArgsType()
class JobsArgs extends SearchedPageArgs {
  @Field(() => JobState, { nullable: true })
  state?: JobState | null;
}

const jobs = `
  select * from (
    select id::text, task_identifier as task, attempts, max_attempts as "maxAttempts", run_at as "runAt", created_at as "createdAt",
           case when locked_at is not null then 'running' when attempts >= max_attempts then 'failed' else 'waiting' end as state,
           case when task_identifier = 'send-mail' then ${subjectAndRecipient} end as email,
           coalesce(last_error, case when task_identifier = 'send-mail' then (select text from alarm order by since limit 1) end) as "lastError"
      from graphile_worker.jobs job
     union all
    select id::text, 'send-mail', 1, 1, created_at, created_at, 'kept',
           concat(substring(source from '(?n)^Subject: ([^\r]*)'), ' to ', recipient),
           'No mail server is set. Set SMTP_URL and restart. The command "mails" prints this email.'
      from unsent_mail
  ) job`;

/** Background jobs, for operators. */
@Authorized('admin')
@Resolver()
export class AdminJobResolver {
  constructor(private readonly dataSource: DataSource) {}

  @Query(() => JobPage, {
    description: 'Background jobs: emails, loads and scheduled tasks; and emails that were kept because no mail server is set.',
  })
  async jobs(@Args() { state, search, limit, offset }: JobsArgs): Promise<JobPage> {
    const found = `${jobs} where ($1::text is null or state = $1) and ${hasText('$2', 'id', 'task', 'email', '"lastError"')}`;
    const filter = [state ?? null, search ?? ''];
    const [page, [{ total }]] = await Promise.all([
      this.dataSource.query<Job[]>(
        `${found} order by array_position(array['failed', 'running', 'waiting', 'kept'], state), "runAt", id limit $3 offset $4`,
        [...filter, limit, offset],
      ),
      this.dataSource.query<[{ total: number }]>(`select count(*)::integer as total from (${found}) counted`, filter),
    ]);
    return { jobs: page, total };
  }

  /** @throws AppError not_found for an unknown job, conflict for a running one */
  @Mutation(() => Job, { description: 'Runs a failed or waiting job now.' })
  retryJob(@Arg('id', () => ID) id: string, @Ctx() context: Context): Promise<Job> {
    const { id: actor } = requireUser(context);
    return this.dataSource.transaction(async (manager) => {
      const find = async () => (await manager.query<Job[]>(`${jobs} where id = $1 and state <> 'kept'`, [id]))[0];
      const before = await find();
      if (!before) throw new AppError('not_found', 'There is no such job. It may have finished.');
      const due = await manager.query<object[]>(
        'select id from graphile_worker.reschedule_jobs(array[$1::bigint], run_at => now(), attempts => 0)',
        [id],
      );
      const job = due.length === 1 && (await find());
      if (!job) throw new AppError('conflict', 'The job is already running.');
      const { task, state, attempts } = before;
      await recordAction(manager, { actor, action: 'retry job', target: id, reason: null, before: { task, state, attempts } });
      return job;
    });
  }
}
