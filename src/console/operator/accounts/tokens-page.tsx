import { Page } from '../../shell/page.js';
import { TokensList } from './tokens-list.js';

export default function TokensPage() {
  return (
    <Page title="Tokens" description="Only the owner of a token knows its raw value.">
      <TokensList />
    </Page>
  );
}
