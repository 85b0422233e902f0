import { type CSSVariablesResolver, createTheme, DEFAULT_THEME, type MantineColorsTuple } from '@mantine/core';
import type { ComponentProps, MouseEvent } from 'react';

export const theme = createTheme({
  primaryColor: 'cyan',
  // White text has a contrast of more than 4.5 on these shades, also while the pointer is over them, but not on Mantine's.
  primaryShade: { light: 9, dark: 9 },
  colors: {
    cyan: withShades('cyan', { 2: '#bdf3f8', 8: '#0b7d91' }),
    green: withShades('green', { 9: '#237a34' }),
    orange: withShades('orange', { 9: '#b3400a' }),
  },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: { textWrap: 'balance' },
  components: {
    // Few messages interrupt what a screen reader says.
    Alert: { defaultProps: { variant: 'outline', role: 'note' } },
    Button: { defaultProps: { component: BusyButton } },
    NavLink: { defaultProps: { bdrs: 'md' } },
  },
});

/** Mantine's dimmed text and placeholders are too pale to read. These reach a contrast of 4.5 in both schemes. */
export const readableVariables: CSSVariablesResolver = (mantine) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': mantine.colors.gray[7],
    '--mantine-color-placeholder': mantine.colors.gray[7],
    '--mantine-color-error': mantine.colors.red[9],
  },
  dark: {
    '--mantine-color-dimmed': mantine.colors.dark[1],
    '--mantine-color-placeholder': mantine.colors.dark[1],
    '--mantine-color-error': mantine.colors.red[4],
  },
});

/** A palette of Mantine's with some of its shades replaced. */
function withShades(color: string, shades: Record<number, string>): MantineColorsTuple {
  return Object.assign([...DEFAULT_THEME.colors[color]!], shades) as unknown as MantineColorsTuple;
}

type BusyButtonProps = ComponentProps<'button'> & { 'data-loading'?: boolean | undefined };

/**
 * The element of every button. Mantine disables a busy button, which then loses the focus. This one keeps the focus and ignores clicks.
 */
function BusyButton({ 'data-loading': isBusy, disabled, onClick, type = 'button', ...others }: BusyButtonProps) {
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
