import { Alert, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { plural } from '../../format/format.js';
import { Timestamp } from '../../ui/timestamp.js';

interface Capped {
  creditsRemaining: number;
  overageRecords: number;
  overageCap: number | null;
}

interface CapReachedProps {
  balance: Capped & { periodEnd: string; endsAt: string | null };
  /** The way to raise it. */
  children: ReactNode;
}

/** Why a paid plan reads no more. A plan that ends with its period reads no further one, so no date is named. */
export function CapReached({ balance: { overageCap, periodEnd, endsAt }, children }: CapReachedProps) {
  return (
    <Alert variant="outline" role="note" color="orange" title="The cap on overage is reached">
      <Stack align="flex-start" gap="sm">
        <Text>
          Reading has stopped{endsAt === null && [' until ', <Timestamp key="until" at={periodEnd} />]}: the cap of{' '}
          {plural(overageCap ?? 0, 'record')} is reached.
        </Text>
        {children}
      </Stack>
    </Alert>
  );
}

export const isAtCap = ({ creditsRemaining, overageRecords, overageCap }: Capped): boolean =>
  creditsRemaining === 0 && overageCap !== null && overageRecords >= overageCap;
