import '../console-styles.js';
import { lazy, Suspense } from 'react';
import { Provider } from 'urql';
import { Route, Switch } from 'wouter';
import { SessionGate } from '../auth/session-gate.js';
import { graphqlClient } from '../graphql/client.js';
import { ConsoleFrame } from '../parts/console-frame.js';
import { NotFound } from '../parts/not-found.js';
import { PageSkeleton } from '../parts/page-skeleton.js';
import { paths } from '../paths.js';
import { TokensPage } from './tokens-page.js';

const UsagePage = lazy(() => import('./usage-page.js'));
const BillingPage = lazy(() => import('./billing-page.js'));
const AccountPage = lazy(() => import('./account-page.js'));

const navigation = [
  { label: 'Tokens', href: paths.tokens },
  { label: 'Usage', href: paths.usage },
  { label: 'Billing', href: paths.billing },
  { label: 'Account', href: paths.account },
];

/** The routes of a customer's console. */
export default function CustomerPages() {
  return (
    <SessionGate>
      {(user) => (
        <Provider value={graphqlClient}>
          <ConsoleFrame user={user} navigation={navigation}>
            <Suspense fallback={<PageSkeleton />}>
              <Switch>
                <Route path={paths.tokens} component={TokensPage} />
                <Route path={paths.usage} component={UsagePage} />
                <Route path={paths.billing} component={BillingPage} />
                <Route path={paths.account}>
                  <AccountPage user={user} />
                </Route>
                <Route component={NotFound} />
              </Switch>
            </Suspense>
          </ConsoleFrame>
        </Provider>
      )}
    </SessionGate>
  );
}
