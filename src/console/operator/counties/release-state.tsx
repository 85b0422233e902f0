import { ReleaseStateDocument } from '../../graphql/operations.js';
import { useAnswer } from '../../graphql/use-answer.js';
import { paths } from '../../paths.js';
import { RowLink } from '../../ui/links.js';
import { StateBadge, type Tone } from '../../ui/state-badge.js';

const tones: Record<string, Tone> = { current: 'good', failed: 'bad', loading: 'warning', held: 'warning' };

export const ReleaseState = ({ state }: { state: string }) => <StateBadge state={state} tone={tones[state] ?? 'neutral'} />;

/** The current state of a release that a load left as held. The operator's decision comes after the load has finished. */
export function HeldReleaseState({ releaseId }: { releaseId: number }) {
  return <ReleaseState state={useCurrentState(releaseId)} />;
}

/** @param mayBeHeld as its load left it */
export function ReleaseLink({ releaseId, mayBeHeld }: { releaseId: number; mayBeHeld: boolean }) {
  const isHeld = useCurrentState(releaseId, !mayBeHeld) === 'held' && mayBeHeld;
  return <RowLink href={paths.adminRelease(releaseId)}>{isHeld ? `Review release ${releaseId}` : releaseId}</RowLink>;
}

function useCurrentState(releaseId: number, pause = false): string {
  const query = useAnswer(ReleaseStateDocument, { releaseId }, { pause });
  return query.data?.countyRelease.state ?? 'held';
}
