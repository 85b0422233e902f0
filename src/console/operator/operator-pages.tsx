import '../styles/console-styles.js';
import { Container, Text, Title } from '@mantine/core';
import { Provider } from 'urql';
import { Route, Switch } from 'wouter';
import { SessionGate } from '../auth/session-gate.js';
import { graphqlClient } from '../graphql/client.js';
import { paths } from '../paths.js';
import { ConsoleFrame } from '../shell/console-frame.js';
import { NotFound } from '../shell/page.js';
import { lazyPage, PageBoundary } from '../shell/page-boundary.js';
import { SiteFrame } from '../shell/site-frame.js';
import { operatorFinder } from './use-found.js';

const DashboardPage = lazyPage(() => import('./dashboard-page.js'), paths.dashboard);
const CountiesPage = lazyPage(() => import('./counties/counties-page.js'), paths.adminCounties);
const CountyPage = lazyPage(() => import('./counties/county-page.js'));
const LoadPage = lazyPage(() => import('./loads/load-page.js'));
const ReleasePage = lazyPage(() => import('./counties/release-page.js'));
const ReleasesPage = lazyPage(() => import('./counties/releases-page.js'), paths.adminReleases);
const LoadsPage = lazyPage(() => import('./loads/loads-page.js'), paths.adminLoads);
const AccountsPage = lazyPage(() => import('./accounts/accounts-page.js'), paths.adminAccounts);
const AccountPage = lazyPage(() => import('./accounts/account-page.js'));
const TokensPage = lazyPage(() => import('./accounts/tokens-list.js'), paths.adminTokens);
const LedgerPage = lazyPage(() => import('./activity/ledger-page.js'), paths.adminLedger);
const EntryPage = lazyPage(() => import('./activity/entry-page.js'));
const EventsPage = lazyPage(() => import('./activity/events-page.js'), paths.adminEvents);
const JobsPage = lazyPage(() => import('./activity/jobs-page.js'), paths.adminJobs);
const AuditPage = lazyPage(() => import('./activity/audit-page.js'), paths.adminAudit);
const ActionsPage = lazyPage(() => import('./activity/actions-page.js'), paths.adminActions);

const navigation = [
  { label: 'Overview', href: paths.dashboard },
  { label: 'Counties', href: paths.adminCounties },
  { label: 'Releases', href: paths.adminReleases },
  { label: 'Loads', href: paths.adminLoads },
  { label: 'Accounts', href: paths.adminAccounts },
  { label: 'Tokens', href: paths.adminTokens },
  { label: 'Ledger', href: paths.adminLedger },
  { label: 'Webhook events', href: paths.adminEvents },
  { label: 'Jobs', href: paths.adminJobs },
  { label: 'Ledger audit', href: paths.adminAudit },
  { label: 'Activity log', href: paths.adminActions },
];

/** The routes of the operator console. The server refuses pages and data to everybody else; this only shows the message. */
export default function OperatorPages() {
  return (
    <SessionGate>
      {(user) =>
        user.role === 'admin' ? (
          <Provider value={graphqlClient}>
            <ConsoleFrame user={user} navigation={navigation} finder={operatorFinder}>
              <PageBoundary>
                <Switch>
                  <Route path={paths.dashboard} component={DashboardPage} />
                  <Route path={paths.adminCounties} component={CountiesPage} />
                  <Route path={`${paths.adminCounties}/:fips`}>{({ fips }) => <CountyPage fips={fips} />}</Route>
                  <Route path={`${paths.adminCounties}/:fips/load`}>{({ fips }) => <LoadPage fips={fips} />}</Route>
                  <Route path={paths.adminReleases} component={ReleasesPage} />
                  <Route path={`${paths.adminReleases}/:id`}>
                    {({ id }) => (/^\d{1,9}$/.test(id) ? <ReleasePage id={Number(id)} /> : <NotFound />)}
                  </Route>
                  <Route path={paths.adminLoads} component={LoadsPage} />
                  <Route path={paths.adminAccounts} component={AccountsPage} />
                  <Route path={`${paths.adminAccounts}/:id`}>{({ id }) => <AccountPage id={id} />}</Route>
                  <Route path={paths.adminTokens} component={TokensPage} />
                  <Route path={paths.adminLedger} component={LedgerPage} />
                  <Route path={`${paths.adminLedger}/:id`}>{({ id }) => <EntryPage id={id} />}</Route>
                  <Route path={paths.adminEvents} component={EventsPage} />
                  <Route path={paths.adminJobs} component={JobsPage} />
                  <Route path={paths.adminAudit} component={AuditPage} />
                  <Route path={paths.adminActions} component={ActionsPage} />
                  <Route component={NotFound} />
                </Switch>
              </PageBoundary>
            </ConsoleFrame>
          </Provider>
        ) : (
          <Refusal />
        )
      }
    </SessionGate>
  );
}

function Refusal() {
  return (
    <SiteFrame title="Operators only – Parcel Records">
      <Container size="sm" py={80}>
        <Title order={1}>Operators only</Title>
        <Text mt="md">Your account does not have access to these pages. If it should, ask an operator to give it the role.</Text>
      </Container>
    </SiteFrame>
  );
}
