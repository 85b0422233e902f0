import { IsIn } from 'class-validator';
import { ArgsType, Field, ID } from 'type-graphql';
import { AccountScopeArgs } from '../core/account-scope.args.js';
import { Limit } from '../core/page.args.js';
import { IsFips, IsTime } from '../core/parameters.js';
import { type EntryKind, entryKinds as kinds } from '../ledger/ledger-entry.js';

// A replay that showed the records in the console is no retry of a program, so it is searched under a name of its own.
const entryKinds = [...kinds, 'shown'] as const;

/** Which entries of the ledger. */
@ArgsType()
export class LedgerFilterArgs extends AccountScopeArgs {
  @Field(() => ID, { nullable: true, description: 'Only entries of this token.' })
  tokenId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'grant, read, replay, reversal, expiry or adjustment: if none is given, any of these. Or terms or token, which move no balance, or ' +
      'shown: replays that showed records in the console.',
  })
  @IsIn(entryKinds, { message: `must be one of ${entryKinds.join(', ')}` })
  kind?: EntryKind | 'shown' | null;

  @Field(() => String, { nullable: true, description: 'Only requests for this county, by five-digit FIPS code.' })
  @IsFips()
  countyFips?: string | null;

  @Field(() => Date, { nullable: true, description: 'Only entries from this time on.' })
  @IsTime()
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Only entries before this time.' })
  @IsTime()
  to?: Date | null;

  @Field(() => ID, { nullable: true, description: 'Only entries older than this one, the `older` of the previous page.' })
  before?: string | null;
}

@ArgsType()
export class LedgerArgs extends LedgerFilterArgs {
  @Limit(1000)
  limit: number;
}

@ArgsType()
export class LedgerCsvArgs extends LedgerFilterArgs {
  @Limit(5000, 5000)
  limit: number;
}
