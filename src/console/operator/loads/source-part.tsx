import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatDay, plural } from '../../format.js';
import { change, useAnswer } from '../../graphql/client.js';
import { CheckSourceDocument, type CheckSourceMutation, type CountyDetailsQuery, CountySourceDocument } from '../../graphql/operations.js';
import { useAction } from '../../hooks/use-action.js';
import { ActionError, Section } from '../../ui/parts.js';

type Current = Pick<CountyDetailsQuery['county'], 'parcelCount' | 'sourceDate'>;
type State = CheckSourceMutation['checkSource'];

interface SourcePartProps {
  fips: string;
  current: Current;
  chosen: string | null | undefined;
  onChosen: (url: string) => void;
}

/** Chooses the county's own service: its address can be changed, and asked first. */
export function SourcePart({ fips, current, chosen, onChosen }: SourcePartProps) {
  const { data } = useAnswer(CountySourceDocument, { fips });
  const known = data?.countySource;
  const [edited, setEdited] = useState(chosen);
  const value = edited ?? known?.url ?? '';
  const url = value.trim();
  const [state, setState] = useState<State>();
  const check = useAction(async () => {
    setState(undefined);
    setState((await change(CheckSourceDocument, { fips, url })).checkSource);
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
          value={value}
          onChange={(event) => {
            setEdited(event.currentTarget.value);
            setState(undefined);
          }}
        />
        <Group>
          <Button variant="default" disabled={url === ''} loading={check.isBusy} onClick={() => void check.run()}>
            Check
          </Button>
          <Button disabled={url === ''} onClick={() => onChosen(url)}>
            Fetch and continue
          </Button>
        </Group>
        <ActionError error={check.error} />
        {state && (
          <Alert color={state.answers ? 'green' : 'red'} role="status" title={state.name ?? undefined}>
            {state.answers ? describeState(state, current) : state.problem}
          </Alert>
        )}
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
    !parcelCount
      ? ''
      : `The current release has ${plural(parcelCount, 'record')}${sourceDate === null ? '' : ` of ${formatDay(sourceDate)}`}.`,
  ].join(' ');
}
