import { Button, Group, Text } from '@mantine/core';

/** Which records, as `boughtRecords` takes it. */
export type RecordsFilter = Partial<
  Record<'entryId' | 'search' | 'tokenId' | 'countyFips' | 'from' | 'to' | 'releases', string | null | undefined>
>;

const formats = ['CSV', 'GeoJSON', 'NDJSON'];

/** Saves records as a file, free of charge. The server streams it, so the browser saves it as it comes. */
export function DownloadRecords({ filter }: { filter: RecordsFilter }) {
  const given = Object.entries(filter).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const query = given.length > 0 ? `?${new URLSearchParams(given)}` : '';
  return (
    <Group gap="xs" role="group" aria-label="Download the records">
      <Text size="sm">Download as</Text>
      {formats.map((format) => (
        <Button
          key={format}
          component="a"
          href={`/page-data/records.${format.toLowerCase()}${query}`}
          download
          variant="default"
          size="compact-md"
        >
          {format}
        </Button>
      ))}
    </Group>
  );
}
