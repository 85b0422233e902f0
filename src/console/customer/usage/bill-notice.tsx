import { Alert, Button, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { formatCount, formatUsd, plural } from '../../format/format.js';
import { paths } from '../../paths.js';
import { plans } from '../../site.js';
import { Timestamp } from '../../ui/timestamp.js';

interface PaidBalance {
  creditsRemaining: number;
  includedRecords: number;
  overageRecords: number;
  overageUsd: string;
  overageCap: number | null;
  overageCapUsd: string | null;
  periodEnd: string;
  endsAt: string | null;
}

interface BillNoticeProps {
  /** Of a paid plan that has not ended. */
  balance: PaidBalance;
  /** Opens the dialog of the cap; by default a link leads to the page that has it. */
  onCap?: () => void;
}

/** From here on a customer is told that a limit is near. */
const nearLimit = 0.8;

/** Says how much of a paid plan is used, from four fifths of its included records on, so that no overage comes as a surprise. */
export function BillNotice({ balance, onCap }: BillNoticeProps) {
  const { creditsRemaining, includedRecords, overageRecords, overageUsd, overageCap, overageCapUsd, periodEnd, endsAt } = balance;
  const end = <Timestamp at={periodEnd} />;
  // A plan that ends with its period begins no further one.
  const untilNext = endsAt === null && <> until {end}</>;
  const cap =
    overageCap === null ? 'No cap is set.' : `Your overage cap is ${formatUsd(overageCapUsd!)} (${plural(overageCap, 'record')}).`;
  const action = (label: string) =>
    onCap ? (
      <Button onClick={onCap}>{label}</Button>
    ) : (
      plans.paid.isSold && (
        <Button component={Link} href={paths.billing}>
          {label}
        </Button>
      )
    );
  if (isAtCap(balance))
    return (
      <Notice title="Overage cap reached" isWarning action={action('Raise the cap')}>
        Requests are refused{untilNext}: you have reached your cap of {formatUsd(overageCapUsd!)} ({plural(overageCap ?? 0, 'record')}).
      </Notice>
    );
  if (overageCap !== null && creditsRemaining === 0 && overageRecords >= overageCap * nearLimit)
    return (
      <Notice title="Close to your overage cap" isWarning action={action('Raise the cap')}>
        Overage so far: {formatUsd(overageUsd)} of {formatUsd(overageCapUsd!)} ({formatCount(overageRecords)} of{' '}
        {plural(overageCap, 'record')}). At the cap, requests are refused{untilNext}.
      </Notice>
    );
  if (creditsRemaining === 0)
    return (
      <Notice title="Included records used up" action={overageCap === null && action('Set a cap')}>
        Overage so far: {formatUsd(overageUsd)} ({plural(overageRecords, 'record')}). {cap}{' '}
        {endsAt === null ? 'Your included records renew on' : 'Your plan ends on'} {end}.
      </Notice>
    );
  if (includedRecords - creditsRemaining >= includedRecords * nearLimit)
    return (
      <Notice title="Most included records used" action={overageCap === null && action('Set a cap')}>
        {formatCount(creditsRemaining)} of {formatCount(includedRecords)} are left until {end}. Additional records are billed as overage.{' '}
        {cap}
      </Notice>
    );
  return null;
}

interface NoticeProps {
  title: string;
  isWarning?: boolean;
  action: React.ReactNode;
  children: React.ReactNode;
}

function Notice({ title, isWarning = false, action, children }: NoticeProps) {
  return (
    <Alert variant="outline" role="note" {...(isWarning && { color: 'orange' })} title={title}>
      <Stack align="flex-start" gap="sm">
        <Text>{children}</Text>
        {action}
      </Stack>
    </Alert>
  );
}

export const isAtCap = ({ creditsRemaining, overageRecords, overageCap }: PaidBalance): boolean =>
  creditsRemaining === 0 && overageCap !== null && overageRecords >= overageCap;
