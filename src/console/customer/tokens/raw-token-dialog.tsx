import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { IssuedTokenFragment } from '../../graphql/operations.js';
import { useLeaveGuard } from '../../hooks/leave-page.js';
import { holdToken } from '../../try-it/held-token.js';
import { CodeBlock } from '../../ui/code/code-block.js';
import { Dialog } from '../../ui/dialogs/dialog.js';
import { FirstCallCode } from './first-call.js';

/** Shows the raw token, which cannot be shown again. The dialog closes only after the user confirms that it is stored. */
export function RawTokenDialog({ issued, onStored }: { issued: IssuedTokenFragment; onStored: () => void }) {
  const [isStored, setIsStored] = useState(false);
  useLeaveGuard(!isStored);
  useEffect(() => holdToken(issued.rawToken), [issued.rawToken]);
  return (
    <Dialog title={`Your token “${issued.token.name}”`} size="lg">
      <Stack>
        <Alert variant="outline" role="note" color="orange" title="You won't be able to see it again">
          We keep no copy. If you lose it, revoke it and create a new one.
        </Alert>
        <CodeBlock title="Token" code={issued.rawToken} />
        <Text size="sm">Try it now. It costs one credit:</Text>
        <FirstCallCode rawToken={issued.rawToken} />
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
