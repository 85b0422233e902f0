import { Stack } from '@mantine/core';
import { Page } from '../../shell/page.js';
import { BalancesPart } from './balances-part.js';
import { DailyUsagePart } from './daily-usage-part.js';
import { LedgerPart } from './ledger-part.js';

/** Balances, daily usage and the ledger. */
export default function UsagePage() {
  return (
    <Page title="Usage" description="Each record returned counts once. Times are in your time zone. An entry’s own page also shows UTC.">
      <Stack gap={40}>
        <BalancesPart />
        <DailyUsagePart />
        <LedgerPart />
      </Stack>
    </Page>
  );
}
