import { Page } from '../../shell/page.js';
import { TokensList } from './tokens-list.js';

export default function TokensPage() {
  return (
    <Page title="Tokens" description="The raw value of a token is known to nobody but its owner.">
      <TokensList />
    </Page>
  );
}
