import { Button, type ButtonProps } from '@mantine/core';
import { useAction } from '../hooks/use-action.js';
import { ActionError } from './failures.js';

interface ActionButtonProps extends ButtonProps {
  act: () => Promise<unknown>;
  children: string;
}

/** A button that does something, is busy meanwhile, and says below it why that failed. */
export function ActionButton({ act, children, ...button }: ActionButtonProps & { 'aria-label'?: string }) {
  const { run, isBusy, error } = useAction(act);
  return (
    <>
      <Button variant="default" size="compact-sm" {...button} loading={isBusy} onClick={() => void run()}>
        {children}
      </Button>
      <ActionError error={error} />
    </>
  );
}
