import { FileInput, List, Text } from '@mantine/core';
import { useState } from 'react';
import { Loaded } from '../../graphql/loaded.js';
import { type CountyDetailsQuery, ImportCountyProfileDocument, ProfileFileDocument } from '../../graphql/operations.js';
import { useAnswer } from '../../graphql/use-answer.js';
import { useChange } from '../../graphql/use-change.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';

type Profile = CountyDetailsQuery['countyProfiles'][number];

interface ImportProfileDialogProps {
  fips: string;
  profiles: Profile[];
  onImported: () => void;
  onClose: () => void;
}

/** Takes a profile from a file, and says first what it would change. */
export function ImportProfileDialog({ fips, profiles, onImported, onClose }: ImportProfileDialogProps) {
  const importProfile = useChange(ImportCountyProfileDocument);
  const [file, setFile] = useState('');
  const query = useAnswer(ProfileFileDocument, { fips, file }, { pause: file === '' });
  return (
    <FormDialog
      title="Import a profile"
      action="Import"
      onSubmit={async () => {
        if (file === '') throw new Error('Choose a file first.');
        await importProfile({ fips, file });
        onImported();
      }}
      onClose={onClose}
    >
      <Text>
        The county's next load uses it. Choose a profile that was downloaded from the table of profiles or written by the command profile
        export.
      </Text>
      <FileInput
        label="Profile"
        placeholder="Choose a file"
        accept=".json,application/json"
        clearable
        clearButtonProps={{ 'aria-label': 'Choose no file' }}
        onChange={(chosen) => void (chosen ? chosen.text().then(setFile) : setFile(''))}
        data-autofocus
      />
      {file !== '' && (
        <Loaded what="The profile" answer={query}>
          {({ profileFile }) => (
            <Changes from={profiles.find(({ part, isInUse }) => isInUse && part === profileFile.part)} lines={linesOf(profileFile)} />
          )}
        </Loaded>
      )}
    </FormDialog>
  );
}

const linesOf = ({ options, mapping }: Pick<Profile, 'options' | 'mapping'>): string[] => [...mapping, ...options];

/** What the profile in use does not say, and what only it says. */
function Changes({ from, lines }: { from: Profile | undefined; lines: string[] }) {
  const before = from ? linesOf(from) : [];
  const changes = [
    ...lines.filter((line) => !before.includes(line)).map((line) => `new: ${line}`),
    ...before.filter((line) => !lines.includes(line)).map((line) => `no longer: ${line}`),
  ];
  return (
    <div role="status">
      <Text fw={600} size="sm">
        {changes.length === 0 ? 'It matches the profile in use.' : `Compared with ${from ? `version ${from.version}` : 'no profile'}:`}
      </Text>
      <List size="sm">
        {changes.map((change) => (
          <List.Item key={change}>{change}</List.Item>
        ))}
      </List>
    </div>
  );
}
