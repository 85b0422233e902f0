import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { IssuedTokenFragment } from '../../graphql/operations.js';
import { useLeaveGuard } from '../../hooks/use-leave-guard.js';
import { CodeBlock } from '../../ui/code-block.js';
import { Dialog } from '../../ui/dialog.js';

/** Shows the raw token, which cannot be shown again: the dialog closes only after the person confirms that it is stored. */
export function RawTokenDialog({ issued, onStored }: { issued: IssuedTokenFragment; onStored: () => void }) {
  const [isStored, setIsStored] = useState(false);
  useLeaveGuard(!isStored);
  const command = `curl -H "Authorization: Bearer ${issued.rawToken}" '${window.location.origin}/api/parcels?limit=1'`;
  return (
    <Dialog title={`Your token “${issued.token.name}”`} size="lg">
      <Stack>
        <Alert variant="outline" role="note" color="orange" title="It is shown only now">
          We keep no copy. If it gets lost, revoke it and make another.
        </Alert>
        <CodeBlock title="Token" code={issued.rawToken} />
        <Text size="sm">Try it in a terminal; it costs one credit:</Text>
        <CodeBlock title="Read one record" code={command} />
        <Checkbox label="I have stored it" checked={isStored} onChange={(event) => setIsStored(event.currentTarget.checked)} />
        <Group justify="flex-end">
          <Button disabled={!isStored} onClick={onStored}>
            Done
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
