import { RequestsPart } from '../../requests/requests-part.js';
import { Page } from '../../shell/page.js';

/** The calls with the customer's tokens. */
export default function RequestsPage() {
  return (
    <Page
      title="Requests"
      description="Every API request with one of your tokens in the last 30 days, including those that were refused. A new one shows up after about a second. Times are in your time zone."
    >
      <RequestsPart accountId={null} />
    </Page>
  );
}
