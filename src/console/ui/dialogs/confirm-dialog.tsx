import { Button, Group, Stack, Textarea } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useAction } from '../../hooks/use-action.js';
import { ActionError } from '../failures.js';
import { Dialog } from './dialog.js';

interface ConfirmDialogProps {
  title: string;
  /** The label of the button: the name of the action, never "OK". */
  action: string;
  isDangerous?: boolean;
  /** Asks for a reason, which is kept in the activity log. */
  asksReason?: boolean;
  onConfirm: (reason: string) => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}

/** Asks before an action that cannot be undone. If it fails, the dialog stays open with the message and the typed reason. */
export function ConfirmDialog({
  title,
  action,
  isDangerous = false,
  asksReason = false,
  onConfirm,
  onClose,
  children,
}: ConfirmDialogProps) {
  const [reason, setReason] = useState('');
  const confirm = useAction(async () => {
    await onConfirm(reason);
    onClose();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void confirm.run();
  };
  return (
    <Dialog title={title} onClose={onClose} isBusy={confirm.isBusy}>
      <form onSubmit={submit}>
        <Stack>
          <div>{children}</div>
          {asksReason && (
            <Textarea
              label="Reason"
              description="Kept in the activity log"
              required
              maxLength={500}
              autosize
              data-autofocus
              minRows={2}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
          )}
          <ActionError error={confirm.error} />
          <Group justify="flex-end">
            {/* A second Enter of the key that opened the dialog changes nothing. */}
            <Button variant="default" onClick={onClose} disabled={confirm.isBusy} data-autofocus={!asksReason || undefined}>
              Cancel
            </Button>
            <Button type="submit" color={isDangerous ? 'red.9' : undefined} loading={confirm.isBusy}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
