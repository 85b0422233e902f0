import { lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { PageSkeleton } from './parts/page-skeleton.js';
import { useFocusOnNavigation } from './parts/use-focus-on-navigation.js';
import { HomePage } from './visitor/home-page.js';
import { NotFoundPage } from './visitor/not-found-page.js';

// Pages other than the first are fetched when they are opened.
const DocsPage = lazy(() => import('./docs/docs-page.js'));
const AuthPages = lazy(() => import('./auth/auth-pages.js'));
const CustomerPages = lazy(() => import('./customer/customer-pages.js'));
const OperatorPages = lazy(() => import('./operator/operator-pages.js'));

export function App() {
  useFocusOnNavigation();
  return (
    <Suspense fallback={<PageSkeleton />}>
      <Switch>
        <Route path="/" component={HomePage} />
        <Route path="/docs/*?" component={DocsPage} />
        <Route path={/^\/console\/(sign-in|sign-up|forgot-password|reset-password|verify-email)\/?$/} component={AuthPages} />
        <Route path="/console/*?" component={CustomerPages} />
        <Route path="/admin/*?" component={OperatorPages} />
        <Route component={NotFoundPage} />
      </Switch>
    </Suspense>
  );
}
