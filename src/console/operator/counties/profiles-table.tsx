import { Anchor, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import type { CountyDetailsQuery } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { Timestamp } from '../../ui/timestamp.js';

type Profile = CountyDetailsQuery['countyProfiles'][number];

/** The versions that the next loads use: of the county, or of each of its parts. */
export function profilesInUse(profiles: Profile[]): string {
  const used = profiles.filter(({ isInUse }) => isInUse);
  return used.map(({ part, version }) => `${part ? `${part}: ` : ''}version ${version}`).join(', ') || '–';
}

/** What is known of the county's source, version by version. */
export function ProfilesTable({ fips, profiles }: { fips: string; profiles: Profile[] }) {
  const hasParts = profiles.some(({ part }) => part !== null);
  return (
    <section aria-labelledby="profiles-title">
      <Title order={2} size="h4" id="profiles-title" mb="sm">
        Profiles
      </Title>
      <DataTable
        label="Profiles"
        rows={profiles}
        keyOf={({ id }) => id}
        empty=""
        columns={[
          { title: 'Version', cell: ({ version, isInUse }) => `${version}${isInUse ? ', in use' : ''}` },
          ...(hasParts ? [{ title: 'Part', cell: ({ part }: Profile) => part ?? '–' }] : []),
          { title: 'Mapping', cell: (profile) => <Settings profile={profile} />, isText: true },
          {
            title: 'From',
            cell: ({ releaseId }) =>
              releaseId === null ? (
                'import'
              ) : (
                <Anchor component={Link} href={paths.adminRelease(releaseId)} size="sm">
                  release {releaseId}
                </Anchor>
              ),
          },
          { title: 'Made', cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
          { title: 'By', cell: ({ createdBy }) => createdBy },
        ]}
      />
      <Text size="sm" c="dimmed" mt="xs">
        A load uses the newest version that was published or imported. As a file: profile export --county {fips}, on the command line.
      </Text>
    </section>
  );
}

function Settings({ profile: { mapping, options } }: { profile: Profile }) {
  return (
    <details>
      <summary>{mapping.length} fields</summary>
      {[...mapping, ...options].join(' · ')}
    </details>
  );
}
