import { Field, Float, ID, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'Why a call was refused, and what to do about it.', simpleResolvers: true })
export class RequestError {
  @Field({ description: "The error's code as the answer had it, or caller_gone if the caller closed the connection before." })
  code: string;

  @Field({ description: 'What it means, as Markdown.' })
  meaning: string;

  @Field({ description: 'What to do about it, as Markdown.' })
  cure: string;
}

@ObjectType({ description: 'A call to the API with a token of the account, and how it was answered.', simpleResolvers: true })
export class ApiRequest {
  @Field(() => ID, { description: 'The X-Request-Id of the answer.' })
  id: string;

  @Field({ description: 'When the call came.' })
  at: Date;

  @Field()
  method: string;

  @Field({ description: 'Path and query, at most 500 characters. A token in it is replaced by [redacted].' })
  url: string;

  @Field(() => Int, { description: 'The HTTP status.' })
  status: number;

  @Field(() => RequestError, { nullable: true, description: 'Null if the call was served.' })
  error: RequestError | null;

  @Field(() => Float, { description: 'Milliseconds from the call until its answer was handed to the network.' })
  latencyMs: number;

  @Field(() => ID)
  tokenId: string;

  @Field()
  tokenName: string;

  @Field(() => String, { nullable: true, description: 'The county that was asked for, by FIPS code; null without one.' })
  countyFips: string | null;

  @Field(() => Int, { description: 'Records returned.' })
  records: number;

  @Field(() => ID, { nullable: true, description: 'The ledger entry of the call; null if nothing was metered.' })
  entryId: string | null;
}

@ObjectType({ description: 'A page of calls, newest first.' })
export class RequestPage {
  @Field(() => [ApiRequest])
  requests: ApiRequest[];

  @Field(() => ID, { nullable: true, description: 'Pass as `before` to get the next page; null on the last page.' })
  older: string | null;
}

@ObjectType({ description: 'How many calls of a day had an outcome. Outcomes without calls are omitted.', simpleResolvers: true })
export class RequestOutcome {
  @Field({ description: 'YYYY-MM-DD.' })
  date: string;

  @Field(() => RequestError, { nullable: true, description: 'Null for calls that were served.' })
  error: RequestError | null;

  @Field(() => Int)
  calls: number;

  @Field(() => Int, { description: 'Calls among them that are not in the list: see `requests`.' })
  unlisted: number;
}
