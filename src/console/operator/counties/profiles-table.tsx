import { FileInput, Text } from '@mantine/core';
import { useState } from 'react';
import { change, queryPatiently, useAnswer } from '../../graphql/client.js';
import {
  type CountyDetailsQuery,
  CountyProfileFilesDocument,
  ImportCountyProfileDocument,
  ProfileFileDocument,
} from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { DialogButton, FormDialog } from '../../ui/dialogs.js';
import { ActionButton, Items, Loaded, RowLink, Section, saveFile, Timestamp } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';

type Profile = CountyDetailsQuery['countyProfiles'][number];

/** The versions that the next loads use: of the county, or of each of its parts. */
export function profilesInUse(profiles: Profile[]): string {
  const used = profiles.filter(({ isInUse }) => isInUse);
  return used.map(({ part, version }) => `${part ? `${part}: ` : ''}version ${version}`).join(', ') || '–';
}

export function ProfilesTable({ fips, profiles }: { fips: string; profiles: Profile[] }) {
  const hasParts = profiles.some(({ part }) => part !== null);
  return (
    <Section
      title="Profiles"
      actions={
        <DialogButton label="Import a profile">
          <ImportProfileDialog fips={fips} profiles={profiles} />
        </DialogButton>
      }
    >
      <DataTable
        label="List of profiles"
        rows={profiles}
        empty="No profiles yet. The first load creates one."
        columns={[
          { title: 'Version', cell: ({ version, isInUse }) => `${version}${isInUse ? ', in use' : ''}` },
          hasParts && { title: 'Part', cell: ({ part }) => part ?? '–' },
          {
            title: 'Mapping',
            isText: true,
            cell: ({ mapping, options }) => (
              <details>
                <summary>{mapping.length} fields</summary>
                {[...mapping, ...options].join(' · ')}
              </details>
            ),
          },
          {
            title: 'From',
            cell: ({ releaseId }) =>
              releaseId === null ? 'import' : <RowLink href={paths.adminRelease(releaseId)}>release {releaseId}</RowLink>,
          },
          { title: 'Made', cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
          { title: 'By', cell: ({ createdBy }) => createdBy },
          { title: 'Actions', cell: (profile) => <ProfileFile fips={fips} profile={profile} />, isActions: true },
        ]}
      />
      <Text size="sm" c="dimmed" mt="xs">
        A load uses the newest version that was published or imported.
      </Text>
    </Section>
  );
}

/** Saves a version as a file, which the county of another service can import. */
function ProfileFile({ fips, profile: { id, version, part } }: { fips: string; profile: Profile }) {
  const save = async () => {
    const { countyProfiles } = await queryPatiently(CountyProfileFilesDocument, { fips });
    const file = countyProfiles.find((each) => each.id === id)?.file;
    if (file !== undefined) saveFile(`profile-${[fips, part, version].filter(Boolean).join('-')}.json`, 'application/json', [file]);
  };
  return (
    <ActionButton aria-label={`Download version ${version}${part ? ` of ${part}` : ''}`} act={save}>
      Download
    </ActionButton>
  );
}

/** Takes a profile from a file, and says first what it would change. */
function ImportProfileDialog({ fips, profiles }: { fips: string; profiles: Profile[] }) {
  const [file, setFile] = useState('');
  const query = useAnswer(ProfileFileDocument, { fips, file }, { pause: file === '' });
  return (
    <FormDialog
      title="Import a profile"
      action="Import"
      onSubmit={async () => {
        if (file === '') throw new Error('Choose a file first.');
        await change(ImportCountyProfileDocument, { fips, file });
      }}
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

/** Compares a profile with the one in use. */
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
      <Items size="sm" of={changes} />
    </div>
  );
}
