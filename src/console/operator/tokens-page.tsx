import { Stack } from '@mantine/core';
import { Page } from '../parts/page.js';
import { SearchField } from '../parts/search-field.js';
import { useFilters } from '../parts/use-filters.js';
import { TokensList } from './tokens-list.js';

export default function TokensPage() {
  const { get } = useFilters();
  return (
    <Page title="Tokens" description="The raw value of a token is known to nobody but its owner.">
      <Stack>
        <SearchField label="Search" placeholder="Name, e-mail address or id" />
        <TokensList search={get('search')} />
      </Stack>
    </Page>
  );
}
