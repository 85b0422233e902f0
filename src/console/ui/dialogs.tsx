import { Button, type ButtonProps, Group, Modal, Stack, Textarea } from '@mantine/core';
import { createContext, type FormEvent, type KeyboardEvent, type ReactElement, type ReactNode, useContext, useLayoutEffect } from 'react';
import { useLocation } from 'wouter';
import { sharedValue } from '../hooks/shared-value.js';
import { useAction } from '../hooks/use-action.js';
import { useDraft } from '../hooks/use-draft.js';
import { focusPathOf, restoreFocus } from '../hooks/use-focus-recovery.js';
import { ActionError } from './parts.js';

const opened = sharedValue<{ dialog: ReactElement; key: number } | null>(null);
let count = 0;

/** Opens a dialog instead of the one that is open. It keeps what it was given: an operator decides about what the page showed then. */
export const openDialog = (dialog: ReactElement): void => opened.set({ dialog, key: ++count });

interface DialogButtonProps extends ButtonProps {
  label: string;
  /** The object of the dialog: a row has the same buttons as the others. */
  of?: string;
  /** The dialog. Without one, the button is disabled. */
  children: ReactElement | false | undefined;
}

export const DialogButton = ({ label, of, children: dialog, ...button }: DialogButtonProps) => (
  <Button
    variant="default"
    {...(of && { size: 'compact-sm', 'aria-label': `${label} ${of}` })}
    {...button}
    disabled={!dialog}
    onClick={() => dialog && openDialog(dialog)}
  >
    {label}
  </Button>
);

const Close = createContext(() => {});

/** Closes the dialog that a component is in, if it is still open. */
export const useCloseDialog = (): (() => void) => useContext(Close);

/** Where dialogs are shown. What the page fetches meanwhile does not close them; another page does. */
export function OpenedDialog() {
  const current = opened.useValue();
  const [path] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each page
  useLayoutEffect(() => () => opened.set(null), [path]);
  if (!current) return null;
  return (
    <Close key={current.key} value={() => opened.get() === current && opened.set(null)}>
      {current.dialog}
    </Close>
  );
}

interface DialogProps {
  title: string;
  size?: string;
  /** Without a close button: the content has to close it. */
  isFirm?: boolean;
  /** A busy dialog does not close, since that would look as if the action had been cancelled. */
  isBusy?: boolean;
  children: ReactNode;
}

/** Every dialog of the console. Mantine's puts the title into a `<header>`, which would be a second banner landmark of the page. */
export function Dialog({ title, size, isFirm = false, isBusy = false, children }: DialogProps) {
  const close = useCloseDialog();
  useFocusBackOnClose();
  return (
    <Modal.Root
      opened
      onClose={close}
      size={size}
      centered
      closeOnEscape={!isFirm && !isBusy}
      closeOnClickOutside={false} // an accidental click would lose what was typed
      returnFocus={false}
    >
      <Modal.Overlay />
      {/* Mantine drops `onKeyDown`. */}
      <Modal.Content onKeyDownCapture={ignoreHeldEnter}>
        <Group justify="space-between" wrap="nowrap" px="md" pt="md" pb="xs">
          <Modal.Title fw={600} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Modal.Title>
          {!isFirm && <Modal.CloseButton aria-label="Close" disabled={isBusy} />}
        </Group>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** A key that is held repeats, and would press what the dialog focuses next. */
function ignoreHeldEnter(event: KeyboardEvent): void {
  if (event.repeat && event.key === 'Enter' && !(event.target instanceof HTMLTextAreaElement)) event.preventDefault();
}

/** Mantine returns the focus only if the dialog stays mounted after closing, and ours do not. */
function useFocusBackOnClose(): void {
  useLayoutEffect(() => {
    const place = focusPathOf(document.activeElement);
    return () => restoreFocus(place);
  }, []);
}

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
  const draft = useDraft(title);
  const handleSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void submit.run(Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>);
  };
  return (
    <Dialog title={title} isBusy={mustWait}>
      <form ref={draft} onSubmit={handleSubmit}>
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
              data-autofocus={isDangerous ? undefined : true}
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
