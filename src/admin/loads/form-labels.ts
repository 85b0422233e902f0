import { dirname } from 'node:path';

/** A loader message for the console: with file names instead of server paths, and form labels instead of options. */
export const forOperator = (message: string, files: (string | undefined)[]): string =>
  withFormLabels(files.reduce<string>((text, file) => (file ? text.replaceAll(`${dirname(file)}/`, '') : text), message));

/** The labels of the console's load form, by the command line option. */
const labels: Record<string, string> = {
  map: 'Mapping',
  where: 'Only rows where',
  crs: 'Coordinate system',
  layer: 'Layer',
  'max-rejects': 'Rejected rows allowed',
  join: 'Tax roll (optional)',
  on: 'Joined on',
  'join-key': 'Join key format',
  'join-layer': 'Layer of the tax roll',
  source: 'Source',
  'source-url': 'Source address',
  protocol: 'Protocol',
  license: 'License',
  'no-attributes': 'Leave out columns that are not mapped',
  'no-profile': 'Ignore the profile',
  part: 'Part of the county',
  force: 'Load even if it seems to be elsewhere',
};

/** Replaces command line options in a loader message with the labels of the form. */
export const withFormLabels = (message: string): string =>
  message.replace(/--([a-z]+(?:-[a-z]+)*)/g, (option, name: string) => (labels[name] ? `“${labels[name]}”` : option));
