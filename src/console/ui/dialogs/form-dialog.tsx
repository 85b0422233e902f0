import { Button, Group, Stack, Textarea } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useAction } from '../../hooks/use-action.js';
import { ActionError } from '../failures.js';
import { Dialog, useCloseDialog } from './dialog.js';

interface FormDialogProps {
  title: string;
  /** The label of the button: the name of the action, never "OK". */
  action: string;
  /** Gets the fields by name. The dialog closes on success, and stays open on failure, with the message and what was typed. */
  onSubmit: (fields: Record<string, string>) => Promise<unknown>;
  isDangerous?: boolean;
  /** Asks for the field `reason`, which is kept in the activity log. */
  asksReason?: boolean;
  /** Whether another action in the dialog is running. */
  isBusy?: boolean;
  children: ReactNode;
}

/** A form in a dialog, or just a question before an action that cannot be undone. */
export function FormDialog({ title, action, onSubmit, isDangerous, asksReason, isBusy = false, children }: FormDialogProps) {
  const close = useCloseDialog();
  const submit = useAction(async (fields: Record<string, string>) => {
    await onSubmit(fields);
    close();
  });
  const mustWait = isBusy || submit.isBusy;
  const handleSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void submit.run(Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>);
  };
  return (
    <Dialog title={title} isBusy={mustWait}>
      <form onSubmit={handleSubmit}>
        <Stack>
          {children}
          {asksReason && (
            <Textarea
              label="Reason"
              description="Kept in the activity log"
              name="reason"
              required
              maxLength={500}
              autosize
              data-autofocus
              minRows={2}
            />
          )}
          <ActionError error={submit.error} />
          <Group justify="flex-end">
            {/* Without a field that takes the focus: a second Enter of the key that opened the dialog changes nothing. */}
            <Button variant="default" onClick={close} disabled={mustWait} data-autofocus>
              Cancel
            </Button>
            <Button type="submit" color={isDangerous ? 'red.9' : undefined} loading={submit.isBusy} disabled={mustWait}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
