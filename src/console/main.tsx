import './base-styles.js';
import { MantineProvider } from '@mantine/core';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { readableVariables, theme } from './theme.js';

// Vite writes the page's nonce into this tag; under our content security policy styles made at run time need it.
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
// The dialogs' scroll lock reads it from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const root = createRoot(document.getElementById('root')!);
// As a transition the first rendering can be interrupted, so that a slow telephone can scroll meanwhile.
startTransition(() =>
  root.render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={readableVariables} defaultColorScheme="auto" getStyleNonce={() => nonce}>
        <App />
      </MantineProvider>
    </StrictMode>,
  ),
);
