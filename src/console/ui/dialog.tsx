import { Group, Modal } from '@mantine/core';
import { type ReactNode, useLayoutEffect } from 'react';
import { focusPlace, placeOf } from '../hooks/focus-place.js';

interface DialogProps {
  title: string;
  size?: string;
  /** Without it the dialog has no close button, and closes only by its content. */
  onClose?: () => void;
  /** While what it is for is under way it does not close: that would look as if it had been called off. */
  isBusy?: boolean;
  children: ReactNode;
}

/** Every dialog of the console. The library's own puts the title into a `<header>`, which would be a second banner landmark of the page. */
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
      closeOnClickOutside={false} // what was typed would be lost by a slip
      returnFocus={false}
    >
      <Modal.Overlay />
      <Modal.Content>
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

/** The library gives the focus back only if a dialog outlives its closing, which ours do not. */
function useFocusBackOnClose(): void {
  useLayoutEffect(() => {
    const place = placeOf(document.activeElement);
    return () => focusPlace(place);
  }, []);
}
