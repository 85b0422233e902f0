import { Stack } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { isNotFound } from '../../graphql/client.js';
import { Loaded } from '../../graphql/loaded.js';
import { CountyDetailsDocument } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { stateName } from '../../map/states.js';
import { NotFound, Page } from '../../shell/page.js';
import { LoadPreviewPart } from './load-preview-part.js';
import { LoadStep } from './load-step.js';
import { SourcePart } from './source-part.js';
import type { Upload } from './upload-file.js';
import { UploadPart } from './upload-part.js';

const description =
  'GeoJSON, NDJSON, Esri JSON, TopoJSON, CSV, GeoPackage, FlatGeobuf, GeoParquet, KML, KMZ, GML or Excel, optionally as .gz or .zip; ' +
  'a shapefile or a file geodatabase as .zip.';

/**
 * Loads from the county's own service, or a file in numbered steps. The upload is in the URL, so a reload keeps it.
 */
export default function LoadPage({ fips }: { fips: string }) {
  const [query, reload] = useQuery({ query: CountyDetailsDocument, variables: { fips } });
  const { get, setFilter } = useFilters();
  const [upload, roll] = [readUpload(get('upload')), readUpload(get('roll'))];
  // A roll was chosen but not uploaded yet.
  const [isRollMissing, setIsRollMissing] = useState(false);
  const county = query.data?.county;
  if (isNotFound(query.error)) return <NotFound />;
  return (
    <Page title={`Load a file for ${county ? `${county.name}, ${stateName(county.state)}` : `county ${fips}`}`} description={description}>
      <Loaded what="The county" query={query} onRetry={reload}>
        {({ county }) => (
          <Stack gap="xl" maw={1000}>
            <LoadStep number={1} title="Choose the data">
              <Stack>
                <UploadPart
                  label="County file"
                  onChosen={() => setFilter('upload', null)}
                  onUploaded={(sent) => setFilter('upload', writeUpload(sent))}
                />
                {(upload || roll || isRollMissing) && (
                  <UploadPart
                    label="Tax roll (optional)"
                    clearLabel="Remove the tax roll"
                    onChosen={(file) => {
                      setIsRollMissing(file !== null);
                      setFilter('roll', null);
                    }}
                    onUploaded={(sent) => {
                      setFilter('roll', writeUpload(sent));
                      setIsRollMissing(false);
                    }}
                  />
                )}
              </Stack>
            </LoadStep>
            {!upload && <SourcePart fips={fips} current={county} />}
            {upload && !isRollMissing && <LoadPreviewPart key={`${upload.id} ${roll?.id}`} fips={fips} upload={upload} roll={roll} />}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

const writeUpload = ({ id, fileName }: Upload): string => `${id} ${fileName}`;

function readUpload(text: string | null): Upload | undefined {
  const [, id, fileName] = /^(\S+) (.+)$/.exec(text ?? '') ?? [];
  return id && fileName ? { id, fileName } : undefined;
}
