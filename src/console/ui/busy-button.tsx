import type { ComponentProps, MouseEvent } from 'react';

type BusyButtonProps = ComponentProps<'button'> & { 'data-loading'?: boolean | undefined };

/**
 * The element of every button. Mantine disables a busy button, which then loses the focus. This one keeps the focus and ignores clicks.
 */
export function BusyButton({ 'data-loading': isBusy, disabled, onClick, type = 'button', ...others }: BusyButtonProps) {
  return (
    <button
      {...others}
      type={type}
      data-loading={isBusy}
      aria-disabled={isBusy}
      disabled={disabled && !isBusy}
      onClick={isBusy ? doNothing : onClick}
    />
  );
}

// Also prevents a form from being submitted.
const doNothing = (event: MouseEvent) => event.preventDefault();
