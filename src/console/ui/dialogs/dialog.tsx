import { Group, Modal } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useLayoutEffect } from 'react';
import { focusPathOf, restoreFocus } from '../../hooks/use-focus-recovery.js';

interface DialogProps {
  title: string;
  size?: string;
  /** Without it the dialog has no close button; its content has to close it. */
  onClose?: () => void;
  /** A busy dialog does not close, since that would look as if the action had been cancelled. */
  isBusy?: boolean;
  children: ReactNode;
}

/** Every dialog of the console. Mantine's puts the title into a `<header>`, which would be a second banner landmark of the page. */
export function Dialog({ title, size, onClose, isBusy = false, children }: DialogProps) {
  const mayClose = onClose !== undefined;
  useFocusBackOnClose();
  return (
    <Modal.Root
      opened
      onClose={onClose ?? doNothing}
      size={size}
      centered
      closeOnEscape={mayClose && !isBusy}
      closeOnClickOutside={false} // an accidental click would lose what was typed
      returnFocus={false}
    >
      <Modal.Overlay />
      <Modal.Content onKeyDown={ignoreHeldEnter}>
        <Group justify="space-between" wrap="nowrap" px="md" pt="md" pb="xs">
          <Modal.Title fw={600} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Modal.Title>
          {mayClose && <Modal.CloseButton aria-label="Close" disabled={isBusy} />}
        </Group>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

const doNothing = () => {};

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
