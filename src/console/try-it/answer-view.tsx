import { Alert, Code, SimpleGrid, Stack, Text } from '@mantine/core';
import { errorsOf, type OpenApi, type ReferenceEntry, resolve } from '../../docs/openapi.js';
import { RichText } from '../docs/rich-text.js';
import { formatCount, plural } from '../format.js';
import { paths } from '../paths.js';
import { CodeBlock } from '../ui/code.js';
import { JsonBlock } from '../ui/json-block.js';
import { Facts, TextLink } from '../ui/parts.js';
import { ParcelShape } from '../visitor/sample-record-part.js';
import type { Answer, FreeRecord } from './send-call.js';

/** The parts of an answer that the page says in words. */
interface KnownParts {
  error?: string;
  message?: string;
  parcels?: DrawnRecord[];
  metering?: { credits_charged: number; credits_remaining: number; overage_records: number; ledger_entry_id: string | null };
}

interface AnswerViewProps {
  contract: OpenApi;
  entry: ReferenceEntry;
  answer: Answer;
  /** The token that paid, in words. */
  paidBy: string;
}

/** Shows the service's answer: in a sentence, with its cost, and in full. */
export function AnswerView({ contract, entry, answer, paidBy }: AnswerViewProps) {
  const { status, durationMs, headers, text, json } = answer;
  const { error, message, parcels = [], metering } = knownParts(json);
  const documented = entry.operation.responses[status];
  const shape = documented && resolve(contract, documented);
  const received = Object.keys(shape?.headers ?? {})
    .filter((name) => headers.has(name))
    .map((name): [string, string] => [name, shortened(headers.get(name)!)]);
  const others = received.filter(([name]) => !firstHeaders.includes(name));
  const ledgerEntryId = metering?.ledger_entry_id;
  return (
    <Stack gap="sm">
      <Facts
        facts={[
          ['Status', <Code key="status">{status}</Code>],
          ['Time', `${formatCount(Math.round(durationMs))} ms`],
          metering !== undefined && ['Credits', creditsInWords(metering)],
          metering !== undefined && ['Token', paidBy],
          Boolean(ledgerEntryId) && [
            'Ledger entry',
            <TextLink key="entry" href={paths.ledgerEntry(ledgerEntryId!)} fz="sm">
              {ledgerEntryId}
            </TextLink>,
          ],
          ...received.filter(([name]) => firstHeaders.includes(name)),
        ]}
      />
      {error !== undefined && <ErrorWithCure contract={contract} code={error} message={message} />}
      {json !== undefined ? (
        <JsonBlock title="Answer" label="The answer" value={json} openDepth={parcels.length > 3 ? 2 : 3} mountsWhenOpened />
      ) : (
        text !== '' && <CodeBlock title="Answer" label="The answer" code={text} />
      )}
      {parcels.length > 0 && <AnsweredRecords records={parcels} />}
      {others.length > 0 && (
        <details>
          <summary>Other headers: {others.map(([name]) => name).join(', ')}</summary>
          <Facts facts={others} />
        </details>
      )}
    </Stack>
  );
}

/** The free record of a county, for those without a token. */
export function FreeRecordView({ free: { record, heldBack } }: { free: FreeRecord }) {
  return (
    <Stack gap="sm">
      {heldBack.length > 0 && (
        <Text>Fields that may name a person are hidden on this public page: {heldBack.join(', ')}. The API returns them.</Text>
      )}
      <JsonBlock title="Record" label="The free record" value={record} />
      <AnsweredRecords records={[record]} />
    </Stack>
  );
}

/** The answer in a line, for all to see first and for screen readers to say. */
export function answerInWords(contract: OpenApi, entry: ReferenceEntry, { status, json }: Answer): string {
  const { parcels, metering } = knownParts(json);
  if (parcels && metering) return `${plural(parcels.length, 'record')} for ${plural(metering.credits_charged, 'credit')}.`;
  const documented = entry.operation.responses[status] ?? entry.operation.responses.default;
  return documented ? resolve(contract, documented).description.trim().replaceAll('`', '') : `The service answered ${status}.`;
}

export const freeRecordInWords = ({ county, isInvented }: FreeRecord): string =>
  `${isInvented ? 'An invented record' : 'A real record'} of ${county}, free of charge.`;

function ErrorWithCure({ contract, code, message }: { contract: OpenApi; code: string; message: string | undefined }) {
  const known = errorsOf(contract).find((error) => error.code === code);
  return (
    <Alert role="alert" color="red" title={message ?? known?.meaning ?? code}>
      {known && <RichText text={known.cure} size="sm" />}
      <TextLink href={`${paths.docsErrors}#error-${code}`} fz="sm">
        About the error {code}
      </TextLink>
    </Alert>
  );
}

/** Before and after, from the answer alone: what was charged beyond the included records is overage, and took none of them. */
function creditsInWords({ credits_charged, credits_remaining, overage_records }: NonNullable<KnownParts['metering']>): string {
  const overage = credits_remaining > 0 ? 0 : Math.min(credits_charged, overage_records);
  const before = credits_remaining + credits_charged - overage;
  const beyond = overage > 0 ? `, and ${plural(overage, 'overage record')}` : '';
  return `${formatCount(before)} before, ${formatCount(credits_remaining)} after${beyond}`;
}

const knownParts = (json: unknown): KnownParts => (typeof json === 'object' && json !== null ? json : {});

// What a call cost, and what to name when asking about it.
const firstHeaders = ['X-Request-Id', 'Idempotency-Replayed', 'Retry-After'];

// The digests of a thousand records are 64 KB.
const maxHeaderLength = 200;

const shortened = (value: string): string => (value.length > maxHeaderLength ? `${value.slice(0, maxHeaderLength)} …` : value);

/** A record, as far as it is drawn. */
interface DrawnRecord {
  parcel_id?: string;
  apn?: string | null;
  situs_address?: string | null;
  gis_acres?: number | null;
  geometry?: unknown;
}

const maxDrawn = 6;

/** The records of an answer, drawn. */
function AnsweredRecords({ records }: { records: DrawnRecord[] }) {
  return (
    <section aria-label="The records, drawn">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: 4 }}>
        {records.slice(0, maxDrawn).map((record, index) => (
          <div key={record.parcel_id ?? index}>
            <Text size="sm" fw={600}>
              {[record.apn, record.situs_address].filter(Boolean).join(', ') || `Record ${index + 1}`}
            </Text>
            <ParcelShape record={record} />
          </div>
        ))}
      </SimpleGrid>
      {records.length > maxDrawn && (
        <Text size="sm" c="dimmed" mt="xs">
          The first {maxDrawn} of {plural(records.length, 'record')}.
        </Text>
      )}
    </section>
  );
}
