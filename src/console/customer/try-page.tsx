import { Group, NativeSelect, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import { inSnakeCase } from '../../core/snake-case.js';
import { callOf, isCallable, type Values } from '../../docs/calls.js';
import { errorsOf, type OpenApi, type ReferenceEntry, referenceEntries } from '../../docs/openapi.js';
import { credentialInWords } from '../../docs/operations.js';
import { ask, RefusedError, useAnswer } from '../graphql/client.js';
import { ReadParcelsDocument, TokenNamesDocument, type TokenNamesQuery, TokenUsageDocument } from '../graphql/operations.js';
import { useContract } from '../public-api.js';
import { Page } from '../shell/page.js';
import { site } from '../site.js';
import { type Answer, noAnswer } from '../try-it/send-call.js';
import TryPanel from '../try-it/try-panel.js';
import { Loaded } from '../ui/parts.js';
import { useTokenChoice } from './token-choice.js';

const shownTags = ['Records', 'Usage', 'Coverage'];

/** Calls the API from the console, with a token of the account or one that is pasted. */
export default function TryPage() {
  const contract = useContract();
  const tokens = useAnswer(TokenNamesDocument, {});
  return (
    <Page title="Try it" description="Call the API from here. What a call costs is charged to its token, as from any program.">
      <Loaded what="The form" answer={contract} placeholder={<Skeleton height={560} />}>
        {(data) => (
          <Loaded what="Your tokens" answer={tokens} placeholder={<Skeleton height={560} />}>
            {(own) => <Calls contract={data} tokens={own.tokens} onSent={tokens.refetch} />}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

interface CallsProps {
  contract: OpenApi;
  tokens: TokenNamesQuery['tokens'];
  /** Afterwards a token has other credits left. */
  onSent: () => void;
}

function Calls({ contract, tokens, onSent }: CallsProps) {
  const entries = shownTags.flatMap((tag) =>
    referenceEntries(contract).filter((entry) => entry.operation.tags?.includes(tag) && isCallable(entry)),
  );
  const [id, setId] = useState(entries[0]!.id);
  const entry = entries.find((each) => each.id === id)!;
  const { token, field } = useTokenChoice('Your token', tokens, 'Another one, pasted');
  const takesToken = credentialInWords(entry.operation) === 'bearer token';
  const send = (values: Values) => sendBySession(contract, entry, values, token!.id).finally(onSent);
  return (
    <Stack>
      <Group align="flex-end">
        <NativeSelect
          label="Request"
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
          data={entries.map(({ id: value, method, path, operation }) => ({
            value,
            label: `${method.toUpperCase()} ${path}: ${operation.summary}`,
          }))}
          maw={480}
        />
        {takesToken && field}
      </Group>
      <TryPanel key={id} contract={contract} entry={entry} own={takesToken && token ? { ...token, send } : undefined} />
    </Stack>
  );
}

/** Sends a call by a token of the account, whose secret the console does not have, and gives its answer the form that REST gives it. */
async function sendBySession(contract: OpenApi, entry: ReferenceEntry, values: Values, tokenId: string): Promise<Answer> {
  const { county_fips: countyFips, limit, cursor, 'Idempotency-Key': key } = values;
  if (limit && !/^\d{1,9}$/.test(limit)) throw new Error(`limit must be a whole number in plain digits, not ${limit}. Nothing was sent.`);
  const startMs = performance.now();
  const answerOf = (status: number, headers: Headers, json: unknown): Answer => {
    return { status, durationMs: performance.now() - startMs, headers, json, text: '' };
  };
  try {
    if (entry.id === 'usage') {
      const { nextCursor: _, ...usage } = (await ask(TokenUsageDocument, { ...(cursor && { cursor }), tokenId })).usage;
      return answerOf(200, new Headers(), inSnakeCase(usage));
    }
    const variables = { ...(countyFips && { countyFips }), ...(limit && { limit: Number(limit) }), ...(cursor && { cursor }), tokenId };
    const { parcels } = await ask(ReadParcelsDocument, variables, key ? { 'Idempotency-Key': key } : {});
    const { records, metering, nextCursor, original, isCut, countyStatus } = parcels;
    const next = nextCursor && `<${site.origin}${callOf(contract, entry, { ...values, cursor: nextCursor }).path}>; rel="next"`;
    const headers = new Headers({
      ...(original && { 'Idempotency-Replayed': 'true', 'Original-Entry-Id': original.ledgerEntryId }),
      ...(next && { Link: next }),
      ...(isCut && { 'Page-Cut': 'credits' }),
      ...(countyStatus && { 'County-Status': countyStatus }),
    });
    return answerOf(200, headers, { parcels: records, metering: inSnakeCase(metering) });
  } catch (error) {
    const [fault] = error instanceof RefusedError ? error.faults : [];
    if (!(error instanceof RefusedError) || !error.response || !fault) throw noAnswer(values, error);
    const { code, details } = fault.extensions ?? {};
    const { status = error.response.status } = errorsOf(contract).find((known) => known.code === code) ?? {};
    return answerOf(Number(status), error.response.headers, { error: code, message: fault.message, ...(details && { details }) });
  }
}
