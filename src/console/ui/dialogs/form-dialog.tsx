import { Button, Group, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useAction } from '../../hooks/use-action.js';
import { ActionError } from '../failures.js';
import { Dialog } from './dialog.js';

interface FormDialogProps {
  title: string;
  action: string;
  onSubmit: (fields: Record<string, string>) => Promise<unknown>;
  onClose: () => void;
  isDangerous?: boolean;
  /** Whether another action in the dialog is running. */
  isBusy?: boolean;
  children: ReactNode;
}

/** A form in a dialog; `onSubmit` gets the values by name. It closes on success, and stays open with the message on failure. */
export function FormDialog({ title, action, onSubmit, onClose, isDangerous = false, isBusy = false, children }: FormDialogProps) {
  const submit = useAction(async (fields: Record<string, string>) => {
    await onSubmit(fields);
    onClose();
  });
  const mustWait = isBusy || submit.isBusy;
  const handleSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void submit.run(Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>);
  };
  return (
    <Dialog title={title} onClose={onClose} isBusy={mustWait}>
      <form onSubmit={handleSubmit}>
        <Stack>
          {children}
          <ActionError error={submit.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} disabled={mustWait}>
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
