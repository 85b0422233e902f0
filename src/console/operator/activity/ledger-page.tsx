import { LedgerOfAll } from '../../ledger/ledger-list.js';
import { Page } from '../../shell/page.js';

/** The ledger entries of all accounts. Adjustments are made on the page of an account. */
export default function LedgerPage() {
  return (
    <Page title="Ledger">
      <LedgerOfAll />
    </Page>
  );
}
