import { Authorized, Extensions, Query, Resolver } from 'type-graphql';
import { TrialTakers } from './trial-takers.js';
import type { TrialTakersStore } from './trial-takers.store.js';

@Resolver()
export class TrialTakersResolver {
  constructor(private readonly store: TrialTakersStore) {}

  @Authorized('admin')
  @Extensions({ rows: 50 })
  @Query(() => TrialTakers)
  trialTakers(): Promise<TrialTakers> {
    return this.store.find();
  }
}
