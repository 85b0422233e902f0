import { Alert, Box, Button, Group, Paper, Progress, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { formatCount, formatShare, formatUsd, hasPassed, plural, serverNow } from '../../format.js';
import { useAnswer } from '../../graphql/client.js';
import { type BalanceRowFragment, BalancesDocument } from '../../graphql/operations.js';
import { BalanceFiles } from '../../ledger/balance-files.js';
import { paths } from '../../paths.js';
import { plans } from '../../site.js';
import { Facts, Loaded, Nothing, StateBadge, TextLink, Timestamp } from '../../ui/parts.js';

/** For each balance: the credits left, the cost of the period so far, and the server's projection for the whole period. */
export function BalancesPart() {
  const query = useAnswer(BalancesDocument, {});
  return (
    <section aria-label="Balances">
      <Loaded what="Your balances" answer={query} placeholder={<Skeleton height={270} />}>
        {({ balances }) =>
          balances.length === 0 ? (
            <Nothing>
              No balances yet. <TextLink href={paths.tokens}>Get a token</TextLink>
            </Nothing>
          ) : (
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              {balances.map((balance) => (
                <BalanceCard key={balance.id} balance={balance} />
              ))}
            </SimpleGrid>
          )
        }
      </Loaded>
    </section>
  );
}

/** Every bar is filled from the left by what was used. */
export const UsedBar = ({ what, used, of }: { what: string; used: number; of: number }) => (
  <Progress value={of === 0 ? 100 : Math.min(100, (100 * used) / of)} aria-label={what} my="xs" />
);

interface BalanceCardProps {
  balance: BalanceRowFragment;
  /** For the overview: what is left and what it costs. */
  isBrief?: boolean;
  /** For operators, instead of the notices to the customer and the links to the customer's pages: what they can do with the balance. */
  tools?: ReactNode;
}

/** A balance, as its customer and operators see it. */
export function BalanceCard({ balance, isBrief = false, tools }: BalanceCardProps) {
  const isPaid = balance.plan === 'paid';
  const isBilled = balance.billSoFarUsd !== null;
  const hasEnded = hasPassed(balance.endsAt);
  const isTold = !isBrief && !hasEnded && !tools;
  return (
    <Paper withBorder p="lg">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {isPaid ? 'API Records' : 'API Sandbox Trial'}
        </Title>
        {hasEnded && <StateBadge state="ended" />}
        {isBrief && (
          <TextLink href={paths.usage} fz="sm">
            Details
          </TextLink>
        )}
      </Group>
      <Text>
        <Text span fz={28} fw={700}>
          {formatCount(balance.creditsRemaining)}
        </Text>{' '}
        of {formatCount(balance.includedRecords)} included records left
      </Text>
      <UsedBar what="Included records used" used={balance.includedRecords - balance.creditsRemaining} of={balance.includedRecords} />
      {isTold && isBilled && <BillNotice balance={balance} />}
      {isTold && !isPaid && balance.creditsRemaining === 0 && (
        <Notice title="The trial is used up" isWarning action={<ToBilling label="See the paid plan" />}>
          Requests are refused with 402 exhausted.
        </Notice>
      )}
      <Box mt="sm">
        <Facts
          facts={[
            !isBrief && ['Period', <Period key="period" {...balance} />],
            isPaid && ['Overage', plural(balance.overageRecords, 'record') + (isBilled ? `, ${formatUsd(balance.overageUsd)}` : '')],
            isPaid && !(isBrief && balance.overageCap === null) && ['Overage cap', capOf(balance)],
            isPaid && !isBilled && ['Bill', `none, this plan is free${tools ? '' : ' for you'}`],
            balance.billSoFarUsd !== null && ['Bill so far', formatUsd(balance.billSoFarUsd)],
            isBilled && !hasEnded && !(isBrief && balance.projectedBillUsd === null) && ['Projected bill', projectionOf(balance)],
            balance.endsAt === null
              ? isBrief && ['Renews', <Timestamp key="renews" at={balance.periodEnd} />]
              : [hasEnded ? 'Ended' : 'Ends', <Timestamp key="ends" at={balance.endsAt} />],
          ]}
        />
      </Box>
      {tools}
      {!isBrief && !tools && (
        <Group mt="md" gap="sm" align="flex-start">
          <BalanceFiles balanceId={balance.id} name={`${balance.plan} balance`} />
          <TextLink href={paths.verify} fz="sm">
            Check the bill
          </TextLink>
          <TextLink
            href={paths.recordsOf({ from: balance.periodStart, to: balance.periodEnd })}
            fz="sm"
            aria-label={`Records of this period, ${balance.plan} balance`}
          >
            Records of this period
          </TextLink>
        </Group>
      )}
    </Paper>
  );
}

/** A cap in dollars and records; null for none. */
export const capInWords = ({ overageCap, overageCapUsd }: Pick<PaidBalance, 'overageCap' | 'overageCapUsd'>): string | null =>
  overageCap === null ? null : `${formatUsd(overageCapUsd!)} (${plural(overageCap, 'record')})`;

function capOf(balance: BalanceRowFragment): string {
  const cap = capInWords(balance);
  return cap === null ? 'none' : `${cap}, ${formatCount(Math.max(0, balance.overageCap! - balance.overageRecords))} left`;
}

/** A projection says what it rests on: it is no promise. */
function projectionOf({ projectedBillUsd, periodStart, periodEnd }: BalanceRowFragment): string {
  if (projectedBillUsd === null) return 'available three days into the period';
  const seen = Math.min(Date.parse(periodEnd), serverNow()) - Date.parse(periodStart);
  return `about ${formatUsd(projectedBillUsd)}, at the rate of the first ${formatCount(seen / dayMs)} days`;
}

const dayMs = 86_400_000;

export const Period = ({ periodStart, periodEnd }: Pick<BalanceRowFragment, 'periodStart' | 'periodEnd'>) => (
  <>
    <Timestamp at={periodStart} /> to <Timestamp at={periodEnd} />
  </>
);

type PaidBalance = Omit<BalanceRowFragment, 'id' | 'plan' | 'periodStart' | 'billSoFarUsd' | 'projectedBillUsd'>;

interface BillNoticeProps {
  /** The balance of a paid plan that has not ended. */
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
  const cap = overageCap === null ? 'No cap is set.' : `Your overage cap is ${capInWords(balance)}.`;
  const action = (label: string) => (onCap ? <Button onClick={onCap}>{label}</Button> : <ToBilling label={label} />);
  if (isAtCap(balance))
    return (
      <Notice title="Overage cap reached" isWarning action={action('Raise the cap')}>
        Requests are refused{untilNext}: you have reached your cap of {capInWords(balance)}.
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
  const used = includedRecords - creditsRemaining;
  if (used >= includedRecords * nearLimit)
    return (
      <Notice title={`${formatShare(used, includedRecords)} of included records used`} action={overageCap === null && action('Set a cap')}>
        {formatCount(creditsRemaining)} of {formatCount(includedRecords)} are left until {end}. Additional records are billed as overage.{' '}
        {cap}
      </Notice>
    );
  return null;
}

const ToBilling = ({ label }: { label: string }) =>
  plans.paid.isSold && (
    <Button component={Link} href={paths.billing}>
      {label}
    </Button>
  );

interface NoticeProps {
  title: string;
  isWarning?: boolean;
  action: ReactNode;
  children: ReactNode;
}

/** Tells what has happened, and offers what to do about it. */
export function Notice({ title, isWarning = false, action, children }: NoticeProps) {
  return (
    <Alert {...(isWarning && { color: 'orange' })} title={title}>
      <Stack align="flex-start" gap="sm">
        <Text>{children}</Text>
        {action}
      </Stack>
    </Alert>
  );
}

export const isAtCap = ({ creditsRemaining, overageRecords, overageCap }: PaidBalance): boolean =>
  creditsRemaining === 0 && overageCap !== null && overageRecords >= overageCap;
