import { IsIn, isTimeZone, ValidateBy } from 'class-validator';
import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { isDay } from '../core/parameters.js';

const usageGroupings = ['day', 'token', 'county'] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

const IsDay = () => ValidateBy({ name: 'isDay', validator: { validate: isDay } }, { message: 'must be a day, as YYYY-MM-DD' });

// By name only: Postgres and browsers disagree about the sign of an offset.
const isZoneName = (text: unknown): boolean => isTimeZone(text) && /^[A-Za-z]/.test(text as string);

@ArgsType()
export class DailyUsageArgs {
  @Field({ description: 'The first day, as YYYY-MM-DD.' })
  @IsDay()
  from: string;

  @Field({ description: 'The last day, as YYYY-MM-DD; at most 400 days in all.' })
  @IsDay()
  to: string;

  @Field(() => String, { defaultValue: 'day', description: 'day, token or county: what each day is divided by.' })
  @IsIn(usageGroupings, { message: `must be one of ${usageGroupings.join(', ')}` })
  by: UsageGrouping;

  @Field({ defaultValue: 'UTC', description: 'Whose days, as America/New_York.' })
  @ValidateBy({ name: 'isZoneName', validator: { validate: isZoneName } }, { message: 'must be the name of a time zone' })
  timeZone: string;
}

@ObjectType({ description: 'What was read on one day, in all or by one token or in one county. Days without reads are left out.' })
export class DailyUsage {
  @Field({ description: 'As YYYY-MM-DD.' })
  date: string;

  @Field({ description: "The token's id or the county's FIPS code; empty where there is none." })
  key: string;

  @Field({ description: 'What people call it.' })
  label: string;

  @Field(() => Int, { description: 'Requests that read, also those that found nothing.' })
  reads: number;

  @Field(() => Int, { description: 'Records returned, less those taken back on that day.' })
  records: number;

  @Field(() => Int, { description: 'Those among them beyond the included ones.' })
  overageRecords: number;
}
