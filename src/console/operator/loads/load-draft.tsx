import { Button } from '@mantine/core';
import { Link } from 'wouter';
import type { LoadJobRowFragment, UploadPreviewQueryVariables } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { paths } from '../../paths.js';
import type { ChosenOptions } from './load-options-form.js';
import type { Upload } from './upload-part.js';

export const stepLabels = { file: 'File', columns: 'Columns', check: 'Check', load: 'Load' };

export type LoadStepName = keyof typeof stepLabels;

export const stepNames = Object.keys(stepLabels) as LoadStepName[];

/** A load that is being prepared. All of it is in the URL, so neither Back nor a reload loses anything, and a link shows a colleague the same. */
export function useLoadDraft() {
  const { get, setFilter } = useFilters();
  const [upload, roll] = [readUpload(get('upload')), readUpload(get('roll'))];
  const step = stepNames.find((name) => name === get('step'));
  const options = readOptions(get('options'));
  const isKnown = upload !== undefined || options.sourceUrl != null;
  return {
    upload,
    roll,
    options,
    /** Whether a file was sent, or an address to fetch from was chosen. */
    isKnown,
    step: isKnown && step ? step : 'file',
    setUpload: (sent: Upload | null) => setFilter('upload', sent && writeUpload(sent)),
    setRoll: (sent: Upload | null) => setFilter('roll', sent && writeUpload(sent)),
    setOptions: (options: ChosenOptions) => setFilter('options', writeOptions(options)),
    setStep: (name: LoadStepName) => setFilter('step', name === 'file' ? null : name),
  };
}

interface ColumnsButtonProps {
  job: LoadJobRowFragment;
  size?: 'compact-sm';
}

/** Leads to where the columns of a load are chosen once more, as long as its file is kept. */
export function ColumnsButton({ job: { countyFips, uploadId, fileName, options }, size }: ColumnsButtonProps) {
  const isFetched = /^https?:/.test(fileName);
  if (!options || (uploadId === null && !isFetched)) return null;
  const { countyFips: _, joinUploadId: roll, ...chosen } = options as UploadPreviewQueryVariables['options'];
  const draft = new URLSearchParams({
    step: 'columns',
    options: writeOptions(isFetched ? { ...chosen, sourceUrl: fileName } : chosen) ?? '',
  });
  if (uploadId !== null) draft.set('upload', writeUpload({ id: uploadId, fileName }));
  if (roll) draft.set('roll', writeUpload({ id: roll, fileName: 'tax roll' }));
  return (
    <Button component={Link} href={`${paths.adminLoad(countyFips)}?${draft}`} variant="default" size={size}>
      Choose its columns
    </Button>
  );
}

const writeUpload = ({ id, fileName }: Upload): string => `${id} ${fileName}`;

function readUpload(text: string | null): Upload | undefined {
  const [, id, fileName] = /^(\S+) (.+)$/.exec(text ?? '') ?? [];
  return id && fileName ? { id, fileName } : undefined;
}

/** Only what differs from the defaults. */
function writeOptions(options: ChosenOptions): string | null {
  const isDefault = (name: string, value: unknown) =>
    value === null || (Array.isArray(value) && value.length === 0) || value === (name === 'profile' || name === 'attributes');
  const set = Object.entries(options).filter(([name, value]) => !isDefault(name, value));
  return set.length === 0 ? null : JSON.stringify(Object.fromEntries(set));
}

/** The server checks them. */
function readOptions(text: string | null): ChosenOptions {
  try {
    const options: unknown = JSON.parse(text ?? '{}');
    return typeof options === 'object' && options !== null ? options : {};
  } catch {
    return {};
  }
}
