import { Stack } from '@mantine/core';
import { Page } from '../../shell/page.js';
import { BalancesPart } from './balances-part.js';
import { DailyUsagePart } from './daily-usage-part.js';
import { LedgerPart } from './ledger-part.js';

/** Balances, daily usage and the ledger. */
export default function UsagePage() {
  return (
    <Page title="Usage" description="Every record that was returned, once. Times are yours; the page of an entry has its time in UTC, too.">
      <Stack gap={40}>
        <BalancesPart />
        <DailyUsagePart />
        <LedgerPart />
      </Stack>
    </Page>
  );
}
