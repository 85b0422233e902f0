import { Group, Modal } from '@mantine/core';
import type { ReactNode } from 'react';

interface DialogProps {
  title: string;
  size?: string;
  /** Without it the dialog has no close button, and closes only by its content. */
  onClose?: () => void;
  children: ReactNode;
}

/** Every dialog of the console. The library's own puts the title into a `<header>`, which would be a second banner landmark of the page. */
export function Dialog({ title, size, onClose, children }: DialogProps) {
  const mayClose = onClose !== undefined;
  return (
    <Modal.Root opened onClose={onClose ?? doNothing} size={size} centered closeOnEscape={mayClose} closeOnClickOutside={mayClose}>
      <Modal.Overlay />
      <Modal.Content>
        <Group justify="space-between" wrap="nowrap" px="md" pt="md" pb="xs">
          <Modal.Title fw={600}>{title}</Modal.Title>
          {mayClose && <Modal.CloseButton aria-label="Close" />}
        </Group>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

const doNothing = () => {};
