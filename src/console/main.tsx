import './base-styles.js';
import { MantineProvider } from '@mantine/core';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { printInLightColours } from './print-colours.js';
import { ErrorBoundary } from './shell/error-boundary.js';
import { readableVariables, theme } from './theme.js';

// Vite writes the page's nonce into this tag; under our content security policy styles made at run time need it.
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
// The dialogs' scroll lock reads it from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

printInLightColours();
const root = createRoot(document.getElementById('root')!);
// As a transition the first rendering can be interrupted, so that a slow telephone can scroll meanwhile.
startTransition(() =>
  root.render(
    <StrictMode>
      <ErrorBoundary fallback={() => <Broken />}>
        <MantineProvider theme={theme} cssVariablesResolver={readableVariables} defaultColorScheme="auto" getStyleNonce={() => nonce}>
          <App />
        </MantineProvider>
      </ErrorBoundary>
    </StrictMode>,
  ),
);

/** When even the frame of the pages is broken: plain HTML, which needs nothing. */
function Broken() {
  return (
    <main className="before-script">
      <p>
        Something broke on our side. <a href={window.location.href}>Reload this page</a> or go <a href="/">to the first page</a>.
      </p>
    </main>
  );
}
