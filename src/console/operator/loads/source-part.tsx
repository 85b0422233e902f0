import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { formatDay, plural } from '../../format.js';
import { change, useAnswer } from '../../graphql/client.js';
import {
  CheckSourceDocument,
  type CheckSourceMutation,
  type CountyDetailsQuery,
  CountySourceDocument,
  StartSourceLoadDocument,
} from '../../graphql/operations.js';
import { useAction } from '../../hooks/use-action.js';
import { paths } from '../../paths.js';
import { ActionError, Section } from '../../ui/parts.js';
import { type ChosenOptions, LoadOptionsForm, optionsFormId } from './load-options-form.js';

type Current = Pick<CountyDetailsQuery['county'], 'parcelCount' | 'sourceDate'>;
type State = CheckSourceMutation['checkSource'];

/** Loads from the county's own service: its address can be changed, and asked first. */
export function SourcePart({ fips, current }: { fips: string; current: Current }) {
  const [, navigate] = useLocation();
  const { data } = useAnswer(CountySourceDocument, { fips });
  const known = data?.countySource;
  const [edited, setEdited] = useState<string>();
  const url = (edited ?? known?.url ?? '').trim();
  const [state, setState] = useState<State>();
  const check = useAction(async () => {
    setState(undefined);
    setState((await change(CheckSourceDocument, { fips, url })).checkSource);
  });
  const start = useAction(async (chosen: ChosenOptions) => {
    await change(StartSourceLoadDocument, { options: { ...chosen, countyFips: fips, sourceUrl: url } });
    navigate(paths.adminLoads);
  });
  return (
    <Section title="From the county’s own service">
      <Stack align="flex-start">
        <TextInput
          label="Address of the layer or file"
          description={describe(known?.from)}
          type="url"
          placeholder="https://"
          maxLength={1000}
          w="100%"
          value={edited ?? known?.url ?? ''}
          onChange={(event) => {
            setEdited(event.currentTarget.value);
            setState(undefined);
          }}
        />
        <Group>
          <Button variant="default" disabled={url === ''} loading={check.isBusy} onClick={() => void check.run()}>
            Check
          </Button>
          <Button type="submit" form={optionsFormId} disabled={url === ''} loading={start.isBusy}>
            Fetch and load
          </Button>
        </Group>
        <ActionError error={check.error ?? start.error} />
        {state && (
          <Alert color={state.answers ? 'green' : 'red'} role="status" title={state.name ?? undefined}>
            {state.answers ? describeState(state, current) : state.problem}
          </Alert>
        )}
        <details>
          <summary>Options of the load</summary>
          <LoadOptionsForm onSubmit={(chosen) => void start.run(chosen)} />
        </details>
      </Stack>
    </Section>
  );
}

const describe = (from: string | undefined): string => {
  if (from === 'profile') return 'From the county’s profile. The load keeps another address.';
  if (from === 'catalogue') return 'Listed by OpenAddresses; check it first. The load keeps it.';
  return 'An ArcGIS layer (…/FeatureServer/0), or a file. The load keeps it.';
};

function describeState({ records, changedAt }: State, { parcelCount, sourceDate }: Current): string {
  return [
    records === null ? 'It answers.' : `It has ${plural(records, 'record')}.`,
    changedAt === null ? 'It does not say when it changed.' : `It last changed on ${formatDay(changedAt)}.`,
    parcelCount === null
      ? ''
      : `The current release has ${plural(parcelCount, 'record')}${sourceDate === null ? '' : ` of ${formatDay(sourceDate)}`}.`,
  ].join(' ');
}
