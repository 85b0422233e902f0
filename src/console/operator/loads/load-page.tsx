import { Button, Group, Stack, Title } from '@mantine/core';
import { useLayoutEffect, useRef, useState } from 'react';
import { isRefused, useAnswer } from '../../graphql/client.js';
import { CountyDetailsDocument } from '../../graphql/operations.js';
import { stateName } from '../../map/states.js';
import { NotFound, Page } from '../../shell/page.js';
import { Loaded } from '../../ui/parts.js';
import { CheckPart, StartPart } from './check-part.js';
import { ColumnsPart } from './columns-part.js';
import { type LoadStepName, stepLabels as labels, stepNames, useLoadDraft } from './load-draft.js';
import { SourcePart } from './source-part.js';
import { UploadPart } from './upload-part.js';

const formats =
  'GeoJSON, NDJSON, Esri JSON, CSV, GeoPackage, FlatGeobuf, KML, KMZ, GML or Excel, optionally as .gz or .zip; ' +
  'a shapefile or a file geodatabase as .zip.';

/** Loads a file in four steps: send it or have it fetched, match its columns, check all of its rows, load it. */
export default function LoadPage({ fips }: { fips: string }) {
  const query = useAnswer(CountyDetailsDocument, { fips });
  const { upload, roll, options, isKnown, step, setUpload, setRoll, setOptions, setStep } = useLoadDraft();
  // A roll was chosen but not uploaded yet.
  const [isRollMissing, setIsRollMissing] = useState(false);
  const county = query.data?.county;
  if (isRefused(query.error, 'not_found')) return <NotFound />;
  const isFileHere = isKnown && !isRollMissing;
  const position = stepNames.indexOf(step);
  const next = stepNames[position + 1];
  const previous = stepNames[position - 1];
  const load = { uploadId: upload?.id, options: { ...options, countyFips: fips, joinUploadId: roll?.id } };
  return (
    <Page
      title={`Load a file for ${county ? `${county.name}, ${stateName(county.state)}` : `county ${fips}`}`}
      description={step === 'file' && formats}
    >
      <Loaded what="The county" answer={query}>
        {({ county }) => (
          <Stack gap="lg" maw={1000}>
            <LoadSteps step={step} isFileHere={isFileHere} onOpen={setStep} />
            {step === 'file' && (
              <>
                <UploadPart
                  label="County file"
                  uploaded={upload}
                  onChosen={() => {
                    setUpload(null);
                    setOptions({}); // they name columns of the file before
                  }}
                  onUploaded={setUpload}
                />
                {(upload || roll || isRollMissing) && (
                  <UploadPart
                    label="Tax roll (optional)"
                    clearLabel="Remove the tax roll"
                    uploaded={roll}
                    onChosen={(file) => {
                      setIsRollMissing(file !== null);
                      setRoll(null);
                    }}
                    onUploaded={(sent) => {
                      setRoll(sent);
                      setIsRollMissing(false);
                    }}
                  />
                )}
                {!upload && (
                  <SourcePart
                    fips={fips}
                    current={county}
                    chosen={options.sourceUrl}
                    onChosen={(sourceUrl) => {
                      setOptions({ ...options, sourceUrl });
                      setStep('columns');
                    }}
                  />
                )}
              </>
            )}
            {step === 'columns' && <ColumnsPart load={load} options={options} upload={upload} roll={roll} onChange={setOptions} />}
            {step === 'check' && <CheckPart load={load} />}
            {step === 'load' && <StartPart load={load} options={options} files={[upload, roll].filter((file) => file !== undefined)} />}
            {(upload || step !== 'file') && (
              <Group>
                {next && (
                  <Button disabled={!isFileHere} onClick={() => setStep(next)}>
                    Continue
                  </Button>
                )}
                {previous && (
                  <Button variant="default" onClick={() => setStep(previous)}>
                    Back
                  </Button>
                )}
              </Group>
            )}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

interface LoadStepsProps {
  step: LoadStepName;
  /** Whether the steps after the first one may be opened. */
  isFileHere: boolean;
  onOpen: (step: LoadStepName) => void;
}

/** The numbered steps of a load, and the title of the open one, which takes the focus when the step changes. */
function LoadSteps({ step, isFileHere, onOpen }: LoadStepsProps) {
  const title = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useLayoutEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    title.current?.focus();
    window.scrollTo({ top: 0 });
  }, [step]);
  return (
    <>
      <Group component="nav" aria-label="Steps of the load" gap="xs">
        {stepNames.map((name, index) => (
          <Button
            key={name}
            variant={name === step ? 'outline' : 'default'}
            px="sm"
            aria-current={name === step ? 'step' : undefined}
            disabled={index > 0 && !isFileHere}
            onClick={() => onOpen(name)}
          >
            {index + 1}. {labels[name]}
          </Button>
        ))}
      </Group>
      <Title order={2} size="h4" ref={title} tabIndex={-1}>
        Step {stepNames.indexOf(step) + 1} of {stepNames.length}: {labels[step]}
      </Title>
    </>
  );
}
