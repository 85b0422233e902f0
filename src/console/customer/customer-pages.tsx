import '../styles/console-styles.js';
import { Provider } from 'urql';
import { Route, Switch } from 'wouter';
import { SessionGate } from '../auth/session-gate.js';
import { graphqlClient } from '../graphql/client.js';
import { paths } from '../paths.js';
import { ConsoleFrame } from '../shell/console-frame.js';
import { NotFound } from '../shell/page.js';
import { lazyPage, PageBoundary } from '../shell/page-boundary.js';
import { plans } from '../site.js';
import { customerFinder } from './use-found.js';

const OverviewPage = lazyPage(() => import('./overview/overview-page.js'), paths.overview);
const TokensPage = lazyPage(() => import('./tokens/tokens-page.js'), paths.tokens);
const TryPage = lazyPage(() => import('./try-page.js'), paths.tryIt);
const UsagePage = lazyPage(() => import('./usage/usage-page.js'), paths.usage);
const RequestsPage = lazyPage(() => import('./requests/requests-page.js'), paths.requests);
const EntryPage = lazyPage(() => import('./usage/entry-page.js'));
const RecordsPage = lazyPage(() => import('./records/records-page.js'), paths.records);
const BillingPage = lazyPage(() => import('./billing/billing-page.js'), paths.billing);
const AccountPage = lazyPage(() => import('./account/account-page.js'), paths.account);

const navigation = [
  { label: 'Overview', href: paths.overview },
  { label: 'Tokens', href: paths.tokens },
  { label: 'Try it', href: paths.tryIt },
  { label: 'Usage', href: paths.usage },
  { label: 'Records', href: paths.records },
  { label: 'Requests', href: paths.requests },
  ...(plans.paid.isSold ? [{ label: 'Billing', href: paths.billing }] : []),
  { label: 'Account', href: paths.account },
];

/** The routes of the customer console. */
export default function CustomerPages() {
  return (
    <SessionGate>
      {(user) => (
        <Provider value={graphqlClient}>
          <ConsoleFrame user={user} navigation={navigation} finder={customerFinder}>
            <PageBoundary>
              <Switch>
                <Route path={paths.overview}>
                  <OverviewPage user={user} />
                </Route>
                <Route path={paths.tokens} component={TokensPage} />
                <Route path={paths.tryIt} component={TryPage} />
                <Route path={paths.usage} component={UsagePage} />
                <Route path={`${paths.usage}/entries/:id`}>{({ id }) => <EntryPage id={id} />}</Route>
                <Route path={paths.records} component={RecordsPage} />
                <Route path={paths.requests} component={RequestsPage} />
                <Route path={paths.billing} component={BillingPage} />
                <Route path={paths.account}>
                  <AccountPage user={user} />
                </Route>
                <Route component={NotFound} />
              </Switch>
            </PageBoundary>
          </ConsoleFrame>
        </Provider>
      )}
    </SessionGate>
  );
}
