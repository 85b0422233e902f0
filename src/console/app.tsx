import { Container } from '@mantine/core';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { useKeptFocus } from './hooks/use-kept-focus.js';
import { lazyPage } from './shell/lazy-page.js';
import { PageBoundary } from './shell/page-boundary.js';
import { SiteFrame } from './shell/site-frame.js';
import { HomePage } from './visitor/home-page.js';
import { NotFoundPage } from './visitor/not-found-page.js';

// Pages other than the first are fetched when they are opened.
const CountyPage = lazyPage(() => import('./visitor/county-page.js'));
const DocsPage = lazyPage(() => import('./docs/docs-page.js'));
const AuthPages = lazyPage(() => import('./auth/auth-pages.js'));
const CustomerPages = lazyPage(() => import('./customer/customer-pages.js'));
const OperatorPages = lazyPage(() => import('./operator/operator-pages.js'));

export function App() {
  useKeptFocus();
  return (
    <PageBoundary frame={inSiteFrame}>
      <Switch>
        <Route path="/" component={HomePage} />
        <Route path="/counties/:fips">{({ fips }) => <CountyPage key={fips} fips={fips} />}</Route>
        <Route path="/docs" component={DocsPage} />
        <Route path={/^\/console\/(sign-in|sign-up|forgot-password|reset-password|verify-email)\/?$/} component={AuthPages} />
        <Route path="/console/*?" component={CustomerPages} />
        <Route path="/admin/*?" component={OperatorPages} />
        <Route component={NotFoundPage} />
      </Switch>
    </PageBoundary>
  );
}

const inSiteFrame = (message: ReactNode) => (
  <SiteFrame title="Parcel Records">
    <Container size="sm" py={80}>
      {message}
    </Container>
  </SiteFrame>
);
