import { Args, Authorized, Ctx, Extensions, Query, Resolver } from 'type-graphql';
import { scopeOf } from '../core/account-scope.args.js';
import type { Context } from '../core/context.js';
import { RequestOutcomesArgs, RequestsArgs } from './request.args.js';
import { type RequestError, RequestOutcome, RequestPage } from './request.js';
import type { RequestStore } from './request.store.js';

/** The meaning and the cure of each error code. */
export type ErrorMeanings = Record<string, Pick<RequestError, 'meaning' | 'cure'>>;

// No answer has this code, so the contract does not have it.
const callerGone = {
  meaning: 'Your program closed the connection before the answer was sent. Nothing was charged, unless the call had an idempotency key.',
  cure: 'Allow more time for an answer. With the same idempotency key the records come again, without a further charge.',
};

/** An account's calls, for its owner and for operators. */
@Resolver()
export class RequestResolver {
  private readonly meanings: ErrorMeanings;

  constructor(
    private readonly store: RequestStore,
    meanings: ErrorMeanings,
  ) {
    this.meanings = { ...meanings, caller_gone: callerGone };
  }

  @Authorized('user')
  @Query(() => RequestPage, {
    description:
      'The calls with tokens of the account in the last 30 days, also refused ones, newest first. Beyond 10,000 served and 10,000 refused ones a ' +
      'day, and 20,000 without records of one address, a server only counts them.',
  })
  async requests(@Ctx() context: Context, @Args() args: RequestsArgs): Promise<RequestPage> {
    const { rows, older } = await this.store.page(scopeOf(context, args)!, args);
    return { requests: rows.map((row) => ({ ...row, error: this.errorOf(row.error) })), older };
  }

  @Authorized('user')
  @Extensions({ rows: 200 })
  @Query(() => [RequestOutcome], { description: 'How many of these calls had which outcome, by day.' })
  async requestOutcomes(@Ctx() context: Context, @Args() args: RequestOutcomesArgs): Promise<RequestOutcome[]> {
    const rows = await this.store.outcomes(scopeOf(context, args)!, args);
    return rows.map((row) => ({ ...row, error: this.errorOf(row.error) }));
  }

  private errorOf(code: string): RequestError | null {
    return code === '' ? null : { code, ...(this.meanings[code] ?? { meaning: '', cure: '' }) };
  }
}
