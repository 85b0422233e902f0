import { Text } from '@mantine/core';
import { PageNotFetched } from './lazy-page.js';
import { NextSteps } from './next-steps.js';
import { NotFetched } from './not-fetched.js';
import { Page } from './page.js';

/** In place of a page that could not be shown: what happened, and what to do next. */
export function PageFailed({ error }: { error: Error }) {
  return error instanceof PageNotFetched ? <NotFetched error={error} /> : <Broken error={error} />;
}

function Broken({ error }: { error: Error }) {
  return (
    <Page title="Something broke on this page">
      <Text mb="md" role="alert">
        The fault is ours. Nothing that was saved is lost. If it happens again, tell us what is written below.
      </Text>
      <NextSteps error={error} />
    </Page>
  );
}
