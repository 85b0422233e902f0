import { Button, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import { Loaded } from '../../graphql/loaded.js';
import { type IssuedTokenFragment, type TokenRowFragment, TokensDocument } from '../../graphql/operations.js';
import { useAnswer } from '../../graphql/use-answer.js';
import { useFilters } from '../../hooks/use-filters.js';
import { Page } from '../../shell/page.js';
import { Section } from '../../ui/section.js';
import { Pager } from '../../ui/tables/pager.js';
import { isPaidPlan, isPaidToken, PaidTokenOffer } from './paid-token-offer.js';
import { RawTokenDialog } from './raw-token-dialog.js';
import { CapTokenDialog, IssueTokenDialog, RenameTokenDialog, RevokeTokenDialog } from './token-dialogs.js';
import { TokensTable } from './tokens-table.js';
import { TrialOffer } from './trial-offer.js';

// The cache knows the type of a list from its items. For an empty list it has to be named, or the first token would not refresh it.
const refreshedByTokens = { additionalTypenames: ['ApiToken'] };

const pageSize = 100;

/** The tokens of the account, and how to get the first one. */
export default function TokensPage() {
  const { page } = useFilters();
  const query = useAnswer(TokensDocument, { limit: pageSize, offset: (page - 1) * pageSize }, { context: refreshedByTokens });
  const [issuing, setIssuing] = useState<{ replaces?: TokenRowFragment }>();
  const [issued, setIssued] = useState<IssuedTokenFragment & { replaces?: TokenRowFragment }>();
  const [renamed, setRenamed] = useState<TokenRowFragment>();
  const [capped, setCapped] = useState<TokenRowFragment>();
  const [revoked, setRevoked] = useState<TokenRowFragment>();
  const mayIssuePaid = query.data?.subscription?.isLive ?? false;

  return (
    <Page
      title="Tokens"
      description="Your programs use a token to call the API. We show each token only once, when you create it."
      actions={mayIssuePaid && <Button onClick={() => setIssuing({})}>New token</Button>}
    >
      <Loaded what="Your tokens" answer={query} placeholder={<Skeleton height={320} />}>
        {({ tokens, tokenCount, newest, subscription }) => (
          <Stack gap="lg">
            {!mayIssuePaid && <TrialOffer tokens={newest} onIssued={setIssued} />}
            {isPaidPlan(subscription) && !newest.some(isPaidToken) && (
              <PaidTokenOffer>
                <Button onClick={() => setIssuing({})}>Create paid token</Button>
              </PaidTokenOffer>
            )}
            {tokenCount > 0 && (
              <Section title="All tokens">
                <TokensTable
                  tokens={tokens}
                  mayReplace={(token) => mayIssuePaid && isPaidToken(token)}
                  onCap={setCapped}
                  onRename={setRenamed}
                  onReplace={(replaces) => setIssuing({ replaces })}
                  onRevoke={setRevoked}
                />
                {tokenCount > pageSize && <Pager total={tokenCount} pageSize={pageSize} what="tokens" />}
              </Section>
            )}
          </Stack>
        )}
      </Loaded>
      {issuing && (
        <IssueTokenDialog
          replaces={issuing.replaces}
          onIssued={(token) => {
            setIssuing(undefined);
            setIssued(issuing.replaces ? { ...token, replaces: issuing.replaces } : token);
          }}
          onClose={() => setIssuing(undefined)}
        />
      )}
      {issued && (
        <RawTokenDialog
          issued={issued}
          onStored={() => {
            setIssued(undefined);
            if (issued.replaces) setRevoked(issued.replaces);
          }}
        />
      )}
      {renamed && <RenameTokenDialog token={renamed} onClose={() => setRenamed(undefined)} />}
      {capped && <CapTokenDialog token={capped} onClose={() => setCapped(undefined)} />}
      {revoked && <RevokeTokenDialog token={revoked} onClose={() => setRevoked(undefined)} />}
    </Page>
  );
}
