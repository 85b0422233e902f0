import { Anchor } from '@mantine/core';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { ReleaseStateDocument } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { StateBadge } from '../../ui/state-badge.js';
import { releaseTones } from './release-tones.js';

/** What became of a release that a load left as held: a load is finished once, and the decision comes later. */
export function HeldState({ releaseId }: { releaseId: number }) {
  const state = useStateNow(releaseId);
  return <StateBadge state={state} tone={releaseTones[state] ?? 'neutral'} />;
}

export function HeldLink({ releaseId }: { releaseId: number }) {
  const state = useStateNow(releaseId);
  return (
    <Anchor component={Link} href={paths.adminRelease(releaseId)} size="sm">
      {state === 'held' ? `Decide on release ${releaseId}` : releaseId}
    </Anchor>
  );
}

function useStateNow(releaseId: number): string {
  const [query] = useQuery({ query: ReleaseStateDocument, variables: { releaseId } });
  return query.data?.countyRelease.state ?? 'held';
}
