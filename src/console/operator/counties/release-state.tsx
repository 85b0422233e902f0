import { useQuery } from 'urql';
import { ReleaseStateDocument } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { RowLink } from '../../ui/links.js';
import { StateBadge, type Tone } from '../../ui/state-badge.js';

const tones: Record<string, Tone> = { current: 'good', failed: 'bad', loading: 'warning', held: 'warning' };

export const ReleaseState = ({ state }: { state: string }) => <StateBadge state={state} tone={tones[state] ?? 'neutral'} />;

/** The current state of a release that a load left as held. The operator's decision comes after the load has finished. */
export function HeldReleaseState({ releaseId }: { releaseId: number }) {
  return <ReleaseState state={useCurrentState(releaseId)} />;
}

export function HeldReleaseLink({ releaseId }: { releaseId: number }) {
  const state = useCurrentState(releaseId);
  return <RowLink href={paths.adminRelease(releaseId)}>{state === 'held' ? `Review release ${releaseId}` : releaseId}</RowLink>;
}

function useCurrentState(releaseId: number): string {
  const [query] = useQuery({ query: ReleaseStateDocument, variables: { releaseId } });
  return query.data?.countyRelease.state ?? 'held';
}
