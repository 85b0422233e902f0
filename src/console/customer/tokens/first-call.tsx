import { Text } from '@mantine/core';
import { examples, firstCall } from '../../../docs/examples.js';
import { requestCode } from '../../../docs/request-code.js';
import { plural } from '../../format/format.js';
import type { OverviewQuery } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { codesHere } from '../../site.js';
import { CodeTabs } from '../../ui/code/code-tabs.js';
import { TextLink } from '../../ui/links.js';
import { Timestamp } from '../../ui/timestamp.js';

type Read = OverviewQuery['reads']['entries'][number];

/** The command for the first call and, after the call, its result. */
export function FirstCall({ hasToken, read }: { hasToken: boolean; read: Read | undefined }) {
  if (!hasToken) return <Text c="dimmed">With your token, from any program.</Text>;
  if (read) return <FirstReadResult read={read} />;
  return (
    <>
      <Text>
        Store your token in the variable <code>API_TOKEN</code>, then run this. It costs one credit.
      </Text>
      <FirstCallCode />
      <Text>
        Or <TextLink href={paths.tryIt}>make it in the browser</TextLink>.
      </Text>
      <Text role="status">Waiting for your call …</Text>
    </>
  );
}

/** The request with which everybody begins. @param rawToken the token that was just made; without it, the variable `API_TOKEN` */
export function FirstCallCode({ rawToken }: { rawToken?: string }) {
  return <CodeTabs title={examples.firstRequest.title} codes={codesHere(requestCode({ ...firstCall, token: rawToken }))} />;
}

/** Links to the records instead of showing them: showing them would write a replay into the ledger. */
function FirstReadResult({ read: { id, at, records } }: { read: Read }) {
  return (
    <>
      <Text role="status">
        Received: {plural(records, 'record')}, <Timestamp at={at} style="exact" />.{' '}
        <TextLink href={paths.ledgerEntry(id)}>See its ledger entry and its records</TextLink>
      </Text>
      {records === 0 && <Text size="sm">No record matched the request, so it cost nothing.</Text>}
    </>
  );
}
