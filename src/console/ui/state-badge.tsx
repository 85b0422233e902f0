import { Badge } from '@mantine/core';

export type Tone = 'good' | 'warning' | 'bad' | 'neutral';

const colors: Record<Tone, string> = { good: 'green.9', warning: 'orange.9', bad: 'red.9', neutral: 'gray.7' };

/** A state as a word. The colour is only an addition, since not everybody can see it. */
export function StateBadge({ state, tone }: { state: string; tone: Tone }) {
  return (
    <Badge color={colors[tone]} c="white" tt="none" miw="max-content">
      {state}
    </Badge>
  );
}

const tokenTones: Record<string, Tone> = { active: 'good', exhausted: 'warning', expired: 'neutral', revoked: 'bad' };

export const TokenState = ({ state }: { state: string }) => <StateBadge state={state} tone={tokenTones[state] ?? 'neutral'} />;
