import type { ComponentProps, MouseEvent } from 'react';

type BusyButtonProps = ComponentProps<'button'> & { 'data-loading'?: boolean | undefined };

/**
 * The element of every button. The library disables one that is busy, and a disabled one loses the focus. This one keeps it, and does
 * nothing meanwhile.
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

// Also keeps a form from being sent.
const doNothing = (event: MouseEvent) => event.preventDefault();
