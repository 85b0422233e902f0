import { type CSSVariablesResolver, createTheme } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'cyan',
  // White on these has a contrast of more than 4.5, which the library's own default shades miss.
  primaryShade: { light: 9, dark: 9 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: { textWrap: 'balance' },
});

/** The library's dimmed text and placeholders are too pale to read; these reach a contrast of 4.5 in both schemes. */
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
