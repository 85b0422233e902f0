import { MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { Router } from 'wouter';
import { App } from './app.js';
import { type Remembered, RememberedContext } from './hooks/use-remote.js';
import { ErrorBoundary } from './shell/page-boundary.js';
import { readableVariables, theme } from './styles/theme.js';

interface PageRootProps {
  /** That our content security policy requires for styles created at run time. */
  nonce: string;
  remembered: Remembered;
  /** With its query, on the server, where there is no address bar. */
  path?: string;
}

/** The whole page, alike on the server and in the browser. */
export function PageRoot({ nonce, remembered, path }: PageRootProps) {
  return (
    <StrictMode>
      <ErrorBoundary fallback={() => <Broken />}>
        <MantineProvider theme={theme} cssVariablesResolver={readableVariables} defaultColorScheme="auto" getStyleNonce={() => nonce}>
          <RememberedContext value={remembered}>
            <Router {...(path !== undefined && { ssrPath: path })}>
              <App />
            </Router>
          </RememberedContext>
        </MantineProvider>
      </ErrorBoundary>
    </StrictMode>
  );
}

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
