import { NativeSelect, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import { isCallable } from '../../docs/calls.js';
import { type OpenApi, referenceEntries } from '../../docs/openapi.js';
import { useContract } from '../public-api.js';
import { Page } from '../shell/page.js';
import TryPanel from '../try-it/try-panel.js';
import { Loaded } from '../ui/parts.js';

const shownTags = ['Records', 'Usage', 'Coverage'];

/** Calls the API from the console, with the token that was just created or one that is pasted. */
export default function TryPage() {
  const contract = useContract();
  return (
    <Page title="Try it" description="Call the API from here. What a call costs is charged to its token, as from any program.">
      <Loaded what="The form" answer={contract} placeholder={<Skeleton height={560} />}>
        {(data) => <Calls contract={data} />}
      </Loaded>
    </Page>
  );
}

function Calls({ contract }: { contract: OpenApi }) {
  const entries = shownTags.flatMap((tag) =>
    referenceEntries(contract).filter((entry) => entry.operation.tags?.includes(tag) && isCallable(entry)),
  );
  const [id, setId] = useState(entries[0]!.id);
  const entry = entries.find((each) => each.id === id)!;
  return (
    <Stack>
      <NativeSelect
        label="Request"
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
        data={entries.map(({ id: value, method, path, operation }) => ({
          value,
          label: `${method.toUpperCase()} ${path}: ${operation.summary}`,
        }))}
        maw={480}
      />
      <TryPanel key={id} contract={contract} entry={entry} />
    </Stack>
  );
}
