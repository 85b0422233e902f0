import { Button, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { Loaded } from '../graphql/loaded.js';
import { EntryRecordsDocument } from '../graphql/operations.js';
import { DataTable } from '../parts/data-table.js';
import { formatCount } from '../parts/format.js';

/** The fields of a record that are shown. */
interface ReturnedRecord {
  parcel_id: string;
  county_fips: string;
  apn: string | null;
  situs_address: string | null;
  owner_name: string | null;
}

const initialLimit = 20;
const maxLimit = 1000;

/** The records of a read, shown again without charge. */
export function ReturnedRecords({ entryId }: { entryId: string }) {
  const [limit, setLimit] = useState(initialLimit);
  const [query, reload] = useQuery({ query: EntryRecordsDocument, variables: { id: entryId, limit } });
  return (
    <Loaded what="The records" query={query} onRetry={reload} placeholder={<Skeleton height={160} />}>
      {({ entryRecords: { recordsJson, total } }) => {
        const records = JSON.parse(recordsJson) as ReturnedRecord[];
        return (
          <>
            <DataTable
              label="Returned records"
              rows={records}
              keyOf={({ parcel_id }) => parcel_id}
              empty="The request returned no record."
              columns={[
                { title: 'Parcel', cell: ({ parcel_id }) => parcel_id },
                { title: 'County', cell: ({ county_fips }) => county_fips },
                { title: 'APN', cell: ({ apn }) => apn ?? '–' },
                { title: 'Situs address', cell: ({ situs_address }) => situs_address ?? '–' },
                { title: 'Owner', cell: ({ owner_name }) => owner_name ?? '–' },
              ]}
            />
            {records.length < total && (
              <Text size="sm" mt="xs">
                {formatCount(records.length)} of {formatCount(total)} are shown.{' '}
                {limit === initialLimit && (
                  <Button variant="subtle" size="compact-sm" onClick={() => setLimit(maxLimit)}>
                    Show all
                  </Button>
                )}
              </Text>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
