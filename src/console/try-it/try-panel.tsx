import '../styles/console-styles.js';
import { Box, Button, Group, Input as MantineInput, NativeSelect, Paper, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { callOf, codesOf, firstValues, type Input, inputsOf, maxCredits, type Values } from '../../docs/calls.js';
import { describeAllowedValues, describeType, type OpenApi, type ReferenceEntry } from '../../docs/openapi.js';
import { credentialInWords } from '../../docs/operations.js';
import type { ReadRequest } from '../../docs/request-code.js';
import { inlineParts } from '../docs/rich-text.js';
import { formatUsd, plural } from '../format.js';
import { sharedValue } from '../hooks/shared-value.js';
import { useAction } from '../hooks/use-action.js';
import { paths } from '../paths.js';
import { type StartedCounty, useHomePage } from '../public-api.js';
import { site } from '../site.js';
import { CodeTabs } from '../ui/code.js';
import { ActionError, TextLink } from '../ui/parts.js';
import { PlaceField } from '../visitor/place-search.js';
import { AnswerView, answerInWords, FreeRecordView, freeRecordInWords } from './answer-view.js';
import { type Answer, fetchFreeRecord, sendCall } from './send-call.js';
import classes from './try-it.module.css';

/**
 * The token that was pasted, wherever a call can be tried on this page. In memory only: never stored, and never in a URL. A reload, a
 * sign-out and another tab know nothing of it.
 */
const heldToken = sharedValue('');

export interface TryPanelProps {
  contract: OpenApi;
  entry: ReferenceEntry;
  /** The form's first values; by default, those of the request that the docs show for the operation. */
  request?: ReadRequest | undefined;
  /** The token of the account that pays; without it, one is pasted. */
  own?: OwnToken | undefined;
}

/** The outcome of a call, in a line and in full. */
interface Outcome {
  words: string;
  view: ReactNode;
  answer?: Answer;
}

interface OwnToken {
  name: string;
  plan: string;
  send: (values: Values) => Promise<Answer>;
}

/** Calls an operation from the browser: a form made from the contract, the call as a program, and the answer. */
export default function TryPanel({ contract, entry, request, own }: TryPanelProps) {
  const inputs = inputsOf(contract, entry);
  const [values, setValues] = useState<Values>(() => ({ ...firstValues(contract, entry, request), ...valuesInUrl(inputs) }));
  const [outcome, setOutcome] = useState<Outcome>();
  const token = heldToken.useValue();
  const started = useHomePage().data?.startedCounties;
  const answerPlace = useRef<HTMLDivElement>(null);
  const credential = credentialInWords(entry.operation);
  const takesToken = credential === 'bearer token';
  // Records cost credits, so those without a token see one that is free instead of a refusal.
  const showsFree = entry.id === 'parcels' && !own && token === '';
  const freeFips = values.county_fips || started?.find(({ parcelCount }) => parcelCount > 0)?.fips;
  const call = callOf(contract, entry, values);

  useEffect(() => {
    if (outcome) answerPlace.current?.scrollIntoView({ block: 'nearest' });
  }, [outcome]);

  const send = useAction(async () => {
    setOutcome(undefined);
    if (showsFree) {
      if (!freeFips) throw new Error('No county has records yet.');
      const free = await fetchFreeRecord(freeFips);
      return setOutcome({ words: freeRecordInWords(free), view: <FreeRecordView free={free} /> });
    }
    const answer = await (own ? own.send(values) : sendCall(call, takesToken ? token : undefined));
    const paidBy = own?.name ?? 'the one that was pasted';
    const view = <AnswerView contract={contract} entry={entry} answer={answer} paidBy={paidBy} />;
    setOutcome({ words: answerInWords(contract, entry, answer), view, answer });
    const { raw_token: issued } = (answer.json ?? {}) as { raw_token?: unknown };
    if (typeof issued === 'string') heldToken.set(issued);
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void send.run();
  };
  const { details: faults = [] } = (outcome?.answer?.json ?? {}) as { details?: { parameter?: string; message: string }[] };
  const field = (input: Input) => (
    <ParameterInput
      key={input.name}
      contract={contract}
      input={input}
      value={values[input.name] ?? ''}
      onValue={(value) => setValues({ ...values, [input.name]: value })}
      error={faults.find(({ parameter }) => parameter === input.name)?.message}
      started={started}
    />
  );
  // A token of the account pays by the session, where an answer is never left out for being known.
  const headers = inputs.filter((input) => input.in === 'header' && !(own && input.name === 'If-None-Match'));

  return (
    <Paper withBorder p="md" mt="sm">
      <form onSubmit={onSubmit} noValidate>
        <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: 'start' }}>
          <Stack>
            {takesToken && !own && <TokenInput token={token} />}
            {inputs.filter((input) => input.in !== 'header').map(field)}
            {headers.length > 0 && (
              <details open={headers.some(({ name }) => values[name])}>
                <summary>Headers: {headers.map(({ name }) => name).join(', ')}</summary>
                <Stack mt="sm">
                  {headers.map(field)}
                  {headers.some(({ name }) => name === 'Idempotency-Key') && (
                    <Group>
                      <Button variant="default" size="compact-sm" onClick={() => setValues({ ...values, 'Idempotency-Key': newKey() })}>
                        Make an Idempotency-Key
                      </Button>
                    </Group>
                  )}
                </Stack>
              </details>
            )}
            <Group gap="sm">
              <Button type="submit" loading={send.isBusy}>
                Send
              </Button>
              <Text size="sm">{costInWords()}</Text>
            </Group>
          </Stack>
          <CodeTabs title="This request" codes={codesOf(entry, call)} />
        </SimpleGrid>
      </form>
      <Stack ref={answerPlace} className={classes.answer ?? ''} mt={outcome || send.error ? 'md' : 0}>
        <ActionError error={send.error} />
        <Text role="status" fw={600}>
          {outcome?.words}
        </Text>
        {outcome?.view}
      </Stack>
    </Paper>
  );

  function costInWords(): string {
    if (showsFree) return 'Without a token you see a free record of the county.';
    if (credential === 'session cookie') return 'Costs nothing. Sent as the account that is signed in.';
    const most = maxCredits(contract, entry, values);
    if (most === 0) return 'Costs nothing.';
    const beyond = (own ? own.plan === 'trial' : token.startsWith('pk_trial_'))
      ? ''
      : ` Each beyond the included records costs ${formatUsd(site.paidPlan.overageUsd)}.`;
    return `Costs up to ${plural(most, 'credit')}, one for each record returned.${beyond}`;
  }
}

function TokenInput({ token }: { token: string }) {
  return (
    <TextInput
      label="Token"
      description={
        <>
          Kept in this page’s memory until you leave it, nowhere else. No token yet?{' '}
          <TextLink href={paths.tokens} size="xs">
            Get the free trial
          </TextLink>
        </>
      }
      placeholder="pk_trial_…"
      // No password field: a browser would offer to store it.
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      value={token}
      onChange={(event) => heldToken.set(event.currentTarget.value.replace(/^[\s"'`]*(Bearer\s+["'`]*)?|[\s"'`]+$/gi, ''))}
    />
  );
}

/** A link may name parameters, such as a county. Headers are not taken from it. */
function valuesInUrl(inputs: Input[]): Values {
  const query = new URLSearchParams(window.location.search);
  const named = inputs.filter((input) => input.in !== 'header' && query.has(input.name));
  return Object.fromEntries(named.map(({ name }) => [name, query.get(name)!]));
}

/** Works without HTTPS, too, unlike `crypto.randomUUID`. */
const newKey = (): string => [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

interface ParameterInputProps {
  contract: OpenApi;
  input: Input;
  value: string;
  onValue: (value: string) => void;
  /** The service's objection to the value. */
  error: string | undefined;
  started: StartedCounty[] | undefined;
}

/** A field of the form, made from a parameter of the contract. The service judges the value, so that its own rule is what is shown. */
function ParameterInput({ contract, input, value, onValue, error, started }: ParameterInputProps) {
  const { name, schema, description, required = false } = input;
  const id = useId();
  const facts = [
    schema.type !== 'string' && describeType(contract, schema),
    describeAllowedValues(contract, schema),
    schema.default !== undefined && `default ${schema.default}`,
  ];
  const common = {
    label: name,
    description: (
      <>
        {inlineParts((description ?? schema.description ?? '').trim())} {facts.filter(Boolean).join(' · ')}
      </>
    ),
    error: error && `${name} ${error}.`,
    required,
  };
  const typed = { ...common, value, onChange: (event: { currentTarget: { value: string } }) => onValue(event.currentTarget.value) };
  if (schema.enum) return <NativeSelect {...typed} data={[{ value: '', label: 'any' }, ...schema.enum.map(String)]} />;
  if (!/fips$/.test(name)) {
    return <TextInput {...typed} autoComplete="off" spellCheck={false} inputMode={schema.type === 'integer' ? 'numeric' : 'text'} />;
  }
  return (
    <MantineInput.Wrapper {...common} id={id}>
      <Box mt={5}>
        <PlaceField
          label={name}
          placeholder="Name, city, ZIP or FIPS code"
          started={started}
          text={value}
          onText={onValue}
          onChoose={({ key }) => onValue(key)}
          isCounty
          field={{ id, 'aria-describedby': `${id}-description${error ? ` ${id}-error` : ''}`, 'aria-invalid': Boolean(error) }}
        />
      </Box>
    </MantineInput.Wrapper>
  );
}
