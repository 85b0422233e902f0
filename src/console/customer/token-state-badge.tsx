import { Badge } from '@mantine/core';

const colors: Record<string, string> = { active: 'green.9', exhausted: 'orange.9', expired: 'gray.7', revoked: 'red.9' };

/** The word says it; the colour only helps to find it. */
export function TokenStateBadge({ state }: { state: string }) {
  return (
    <Badge color={colors[state] ?? 'gray.7'} tt="none">
      {state}
    </Badge>
  );
}
