import './base-styles.js';
import { MantineProvider } from '@mantine/core';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { readableVariables, theme } from './theme.js';

// Vite leaves the page's nonce in this tag; the styles made while running need it under our policy.
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
// Where the dialogs' scroll lock looks for it.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const root = createRoot(document.getElementById('root')!);
// As a transition the first drawing is done in slices, so that a slow telephone still scrolls meanwhile.
startTransition(() =>
  root.render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={readableVariables} defaultColorScheme="auto" getStyleNonce={() => nonce}>
        <App />
      </MantineProvider>
    </StrictMode>,
  ),
);
