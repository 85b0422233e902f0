import './styles/base-styles.js';
import { MantineProvider } from '@mantine/core';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { ErrorBoundary } from './shell/page-boundary.js';
import { readableVariables, theme } from './styles/theme.js';

// Vite writes the page's nonce into this tag. Our content security policy requires it for styles created at run time.
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
// The scroll lock of dialogs reads the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

printInLightColours();
const root = createRoot(document.getElementById('root')!);
// A transition can be interrupted, so a slow phone can scroll during the first render.
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

/** Shown when even the page frame fails: plain HTML without dependencies. */
function Broken() {
  return (
    <main className="before-script">
      <p>
        Something went wrong on our side. <a href={window.location.href}>Reload this page</a> or go to the <a href="/">home page</a>.
      </p>
    </main>
  );
}

/** Prints dark pages in light colours. Browsers do not print backgrounds, so light text would end up on white paper. */
function printInLightColours(): void {
  const { documentElement } = document;
  const attribute = 'data-mantine-color-scheme';
  const print = window.matchMedia('print');
  let onScreen: string | null;
  print.addEventListener('change', () => {
    if (print.matches) {
      onScreen = documentElement.getAttribute(attribute);
      documentElement.setAttribute(attribute, 'light');
    } else if (onScreen) documentElement.setAttribute(attribute, onScreen);
  });
}
