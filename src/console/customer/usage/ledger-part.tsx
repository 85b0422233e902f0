import { Button, Group, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { plural } from '../../format/format.js';
import { useAction } from '../../hooks/use-action.js';
import { type LedgerFilter, OwnLedger } from '../../ledger/ledger-list.js';
import { ActionError } from '../../ui/failures.js';
import { downloadLedger } from './download-ledger.js';

export function LedgerPart() {
  const title = useRef<HTMLHeadingElement>(null);
  // A link to the ledger scrolls to it and focuses it.
  useEffect(() => {
    if (window.location.hash !== '#ledger') return;
    title.current?.scrollIntoView();
    title.current?.focus();
  }, []);
  return (
    <section id="ledger" aria-labelledby="ledger-title">
      <Title order={2} size="h4" id="ledger-title" mb="sm" ref={title} tabIndex={-1}>
        Ledger
      </Title>
      <OwnLedger after={(filter) => <Download filter={filter} />} />
    </section>
  );
}

function Download({ filter }: { filter: LedgerFilter }) {
  const client = useClient();
  const [fetched, setFetched] = useState(0);
  const download = useAction(() => downloadLedger(client, filter, setFetched));
  return (
    <>
      <ActionError error={download.error} />
      <Group mt="xs">
        <Button variant="default" loading={download.isBusy} onClick={() => void download.run()}>
          Download as CSV
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {download.isBusy && fetched > 0 && `${plural(fetched, 'entry', 'entries')} so far`}
        </Text>
      </Group>
    </>
  );
}
