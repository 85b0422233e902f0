import { Container } from '@mantine/core';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { docPages } from '../docs/doc-pages.js';
import { useFocusRecovery } from './hooks/use-focus-recovery.js';
import { paths } from './paths.js';
import { NotFound } from './shell/page.js';
import { lazyPage, PageBoundary } from './shell/page-boundary.js';
import { SiteFrame } from './shell/site-frame.js';

// Each page is loaded when it is opened.
const HomePage = lazyPage(() => import('./visitor/home-page.js'));
const CountyPage = lazyPage(() => import('./visitor/county-page.js'));
const DocsPage = lazyPage(() => import('./docs/docs-page.js'));
const VerifyPage = lazyPage(() => import('./verify/verify-page.js'));
const ProofsPage = lazyPage(() => import('./verify/proofs-page.js'));
const AuthPages = lazyPage(() => import('./auth/auth-pages.js'));
const ConsolePages = lazyPage(() => import('./console-pages.js'));

export function App() {
  useFocusRecovery();
  return (
    <PageBoundary frame={inSiteFrame}>
      <Switch>
        <Route path="/" component={HomePage} />
        <Route path="/counties/:fips">{({ fips }) => <CountyPage key={fips} fips={fips} />}</Route>
        {docPages.map((page) => (
          <Route key={page.name} path={page.path}>
            <DocsPage page={page} />
          </Route>
        ))}
        <Route path={paths.verify} component={VerifyPage} />
        <Route path={paths.proofs} component={ProofsPage} />
        <Route path={/^\/console\/(sign-in|sign-up|forgot-password|reset-password|verify-email)\/?$/} component={AuthPages} />
        <Route path="/console/*?">
          <ConsolePages of="customer" />
        </Route>
        <Route path="/admin/*?">
          <ConsolePages of="operator" />
        </Route>
        <Route>{inSiteFrame(<NotFound />, 'This page does not exist – Parcel Records')}</Route>
      </Switch>
    </PageBoundary>
  );
}

const inSiteFrame = (message: ReactNode, title = 'Parcel Records') => (
  <SiteFrame title={title}>
    <Container size="sm" py={80}>
      {message}
    </Container>
  </SiteFrame>
);
