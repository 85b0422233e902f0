import { FileInput, List, Text } from '@mantine/core';
import { useState } from 'react';
import { type CountyDetailsQuery, ImportCountyProfileDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';

type Profile = CountyDetailsQuery['countyProfiles'][number];

interface ImportProfileDialogProps {
  fips: string;
  profiles: Profile[];
  onImported: () => void;
  onClose: () => void;
}

/** Takes a profile from a file, and says first which columns it would read otherwise. The server checks the file. */
export function ImportProfileDialog({ fips, profiles, onImported, onClose }: ImportProfileDialogProps) {
  const importProfile = useChange(ImportCountyProfileDocument);
  const [text, setText] = useState<string>();
  const given = text === undefined ? undefined : readMapping(text);
  const inUse = profiles.find(({ part, isInUse }) => isInUse && part === (given?.part ?? null));
  const changes = given && changesOf(inUse?.mapping ?? [], given.mapping);
  return (
    <FormDialog
      title="Import a profile"
      action="Import"
      onSubmit={async () => {
        if (text === undefined) throw new Error('Choose a file first.');
        await importProfile({ fips, file: text });
        onImported();
      }}
      onClose={onClose}
    >
      <Text>The county's next load uses it. A profile is a file as the table of profiles or the command profile export writes it.</Text>
      <FileInput
        label="Profile"
        placeholder="Choose a file"
        accept=".json,application/json"
        clearable
        clearButtonProps={{ 'aria-label': 'Choose no file' }}
        onChange={(file) => void (file ? file.text().then(setText) : setText(undefined))}
        data-autofocus
      />
      {changes && (
        <div role="status">
          <Text fw={600} size="sm">
            {changes.length === 0
              ? 'It reads the same columns as the profile in use.'
              : `Compared with ${inUse ? `version ${inUse.version}` : 'no profile'}:`}
          </Text>
          <List size="sm">
            {changes.map((change) => (
              <List.Item key={change}>{change}</List.Item>
            ))}
          </List>
        </div>
      )}
    </FormDialog>
  );
}

/** The columns of each field, as the server lists them. Undefined for a text that is no profile. */
function readMapping(text: string): { part: string | null; mapping: string[] } | undefined {
  try {
    const { part = null, map } = JSON.parse(text) as { part?: string | null; map: Record<string, { columns: string[]; unit?: string }> };
    const mapping = Object.entries(map).flatMap(([field, { columns, unit }]) =>
      columns.length === 0 ? [] : [`${field}=${columns.join('+')}${unit ? ` (${unit})` : ''}`],
    );
    return { part, mapping };
  } catch {
    return undefined;
  }
}

const changesOf = (before: string[], after: string[]): string[] => [
  ...after.filter((line) => !before.includes(line)).map((line) => `new: ${line}`),
  ...before.filter((line) => !after.includes(line)).map((line) => `no longer: ${line}`),
];
