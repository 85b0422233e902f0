import { Arg, Args, Authorized, Ctx, FieldResolver, Int, Mutation, Resolver, Root } from 'type-graphql';
import type { DataSource, EntityManager } from 'typeorm';
import { type Context, requireUser } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { County } from '../../counties/county.js';
import { requireRelease } from '../../releases/catalogue/parcel-release.entity.js';
import { changeCounty, setCountyStatus } from '../../releases/lifecycle/change-county.js';
import { discardHeld, publishHeld, releaseToRollBackTo, republish, rollBack } from '../../releases/lifecycle/publish-release.js';
import { CountyStatusArgs, PublishReleaseArgs, RollbackCountyArgs } from './release.args.js';

@Authorized('admin')
@Resolver(() => County)
export class AdminCountyResolver {
  constructor(private readonly dataSource: DataSource) {}

  @FieldResolver(() => String, { nullable: true, description: 'A note for operators only; null if there is none.' })
  note(@Root() { note }: County): string | null {
    return note;
  }

  @FieldResolver(() => Int, { nullable: true })
  currentReleaseId(@Root() { currentReleaseId }: County): number | null {
    return currentReleaseId;
  }

  @FieldResolver(() => Int, {
    nullable: true,
    description: 'The release that a rollback would make current; null if no earlier release has its records.',
  })
  rollbackReleaseId(@Root() { fips }: County): Promise<number | null> {
    return releaseToRollBackTo(this.dataSource.manager, fips);
  }

  /** @throws AppError conflict if the county has changed since the operator saw it */
  @Mutation(() => County, {
    description: "Sets a county's status or note. Setting the status of a loaded county withdraws its records; a rollback restores them.",
  })
  setCountyStatus(@Args() { fips, seen, status, note }: CountyStatusArgs, @Ctx() context: Context): Promise<County> {
    return this.change(context, 'set county status', fips, async (manager, before) => {
      const isAsSeen =
        seen.status === before.status && (seen.note ?? null) === before.note && (seen.currentReleaseId ?? null) === before.currentReleaseId;
      if (!isAsSeen) throw countyChanged(before);
      if (status && status !== before.status) await setCountyStatus(manager, fips, status, null);
      if (note !== undefined) await manager.update(County, { fips }, { note });
    });
  }

  /** @throws AppError not_found; conflict if it has more findings or no records */
  @Mutation(() => County, { description: 'Makes a release current that is held for review or still has its records.' })
  async publishRelease(@Args() { releaseId, accept }: PublishReleaseArgs, @Ctx() context: Context): Promise<County> {
    const { countyFips, state } = await requireRelease(this.dataSource, releaseId);
    return state === 'held'
      ? this.change(context, 'publish release', countyFips, (manager) => publishHeld(manager, releaseId, accept), { accepted: accept })
      : this.change(context, 'publish release', countyFips, (manager) => republish(manager, releaseId));
  }

  /** @throws AppError not_found; conflict if it is not held */
  @Mutation(() => County, { description: 'Discards a release that is held for review. Its records are deleted later.' })
  async discardRelease(@Arg('releaseId', () => Int) releaseId: number, @Ctx() context: Context): Promise<County> {
    const { countyFips } = await requireRelease(this.dataSource, releaseId);
    return this.change(context, 'discard release', countyFips, (manager) => discardHeld(manager, releaseId), { discarded: releaseId });
  }

  /** @throws AppError conflict if another release is current, or no earlier release still has its records */
  @Mutation(() => County, { description: 'Makes the previous release current again.' })
  rollbackCounty(@Args() { fips, from }: RollbackCountyArgs, @Ctx() context: Context): Promise<County> {
    return this.change(context, 'roll county back', fips, (manager, before) => {
      if (before.currentReleaseId !== (from ?? null)) throw countyChanged(before);
      return rollBack(manager, fips);
    });
  }

  private async change(
    context: Context,
    action: string,
    fips: string,
    work: (manager: EntityManager, before: County) => Promise<unknown>,
    facts: object = {},
  ): Promise<County> {
    return (await changeCounty(this.dataSource, { actor: requireUser(context).id, action, fips, facts }, work)).after;
  }
}

function countyChanged({ status, currentReleaseId }: County): AppError {
  const now = currentReleaseId === null ? `it is ${status}` : `release ${currentReleaseId} is its current one`;
  return new AppError('conflict', `The county has changed since you saw it: ${now}. Nothing was changed. Reload the page.`);
}
