import './styles/console-styles.js';
import { Container, Text, Title } from '@mantine/core';
import type { ComponentType } from 'react';
import { Route, Switch } from 'wouter';
import { SessionGate } from './auth/session-gate.js';
import type { SignedInUser } from './auth/use-signed-in-user.js';
import { customerPages, operatorPages } from './pages.js';
import { paths } from './paths.js';
import { ConsoleFrame } from './shell/console-frame.js';
import { NotFound } from './shell/page.js';
import { lazyPage, PageBoundary } from './shell/page-boundary.js';
import { SiteFrame } from './shell/site-frame.js';
import { plans } from './site.js';
import { OpenedDialog } from './ui/dialogs.js';

type Module = { default: ComponentType<{ user: SignedInUser }> };

const files = import.meta.glob<Module>(['./customer/**/*-page.tsx', './operator/**/*-page.tsx']);

const routed = (pages: typeof customerPages) =>
  pages.map(({ path, file, menu }) => ({ path, menu, Page: lazyPage(files[`./${file}`]!, path) }));

const consoles = { customer: routed(customerPages), operator: routed(operatorPages) };

/** The pages behind the sign-in. The server refuses those of operators, and data, to everybody else; this only shows the message. */
export default function ConsolePages({ of }: { of: keyof typeof consoles }) {
  const pages = consoles[of];
  const navigation = pages.flatMap(({ path: href, menu: label }) =>
    label && (href !== paths.billing || plans.paid.isSold) ? [{ label, href }] : [],
  );
  return (
    <SessionGate>
      {(user) =>
        of === 'operator' && user.role !== 'admin' ? (
          <Refusal />
        ) : (
          <ConsoleFrame user={user} navigation={navigation} of={of}>
            <PageBoundary>
              <Switch>
                {pages.map(({ path, Page }) => (
                  <Route key={path} path={path}>
                    {(parameters) => <Page user={user} {...parameters} />}
                  </Route>
                ))}
                <Route component={NotFound} />
              </Switch>
            </PageBoundary>
            {/* Not within the page: one that still loads would close what was opened meanwhile. */}
            <PageBoundary>
              <OpenedDialog />
            </PageBoundary>
          </ConsoleFrame>
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
