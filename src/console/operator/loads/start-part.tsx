import { Button, Stack } from '@mantine/core';
import { useLocation } from 'wouter';
import { Loaded } from '../../graphql/loaded.js';
import { StartLoadDocument, UploadCheckDocument, type UploadPreviewQueryVariables } from '../../graphql/operations.js';
import { useAnswer } from '../../graphql/use-answer.js';
import { useChange } from '../../graphql/use-change.js';
import { useAction } from '../../hooks/use-action.js';
import { paths } from '../../paths.js';
import { Facts } from '../../ui/facts.js';
import { ActionError } from '../../ui/failures.js';
import { Verdict } from './check-part.js';
import { type ChosenOptions, optionLabels } from './load-options-form.js';
import type { Upload } from './upload-file.js';

interface StartPartProps {
  load: UploadPreviewQueryVariables;
  options: ChosenOptions;
  files: (Upload | undefined)[];
}

/** What was chosen and found, once more, and the start. */
export function StartPart({ load, options, files }: StartPartProps) {
  const [, navigate] = useLocation();
  // What the step before has found.
  const query = useAnswer(UploadCheckDocument, load, { requestPolicy: 'cache-first' });
  const startLoad = useChange(StartLoadDocument);
  const start = useAction(async () => {
    await startLoad(load);
    navigate(paths.adminLoads);
  });
  return (
    <>
      <Facts
        facts={[
          ['File', files.flatMap((file) => file?.fileName ?? []).join(' with ')],
          ...Object.entries(optionLabels).flatMap(([name, label]): [string, string][] => {
            const value = options[name as keyof typeof optionLabels];
            return value === undefined ? [] : [[label, describe(value)]];
          }),
        ]}
      />
      <Loaded what="The check" answer={query}>
        {({ uploadCheck: check }) => (
          <Stack align="flex-start">
            <Verdict check={check} />
            <ActionError error={start.error} />
            <Button onClick={() => void start.run()} loading={start.isBusy} disabled={check.refusal !== null}>
              {check.findings.length > 0 ? 'Load and hold for review' : 'Load and publish'}
            </Button>
          </Stack>
        )}
      </Loaded>
    </>
  );
}

// An option of yes or no is only in the URL if its box is checked.
function describe(value: ChosenOptions[keyof ChosenOptions]): string {
  if (typeof value === 'boolean') return 'yes';
  return Array.isArray(value) ? value.join(', ') : String(value);
}
