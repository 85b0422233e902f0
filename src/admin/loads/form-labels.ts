import { dirname } from 'node:path';
import { optionLabels } from './option-labels.js';

/** A loader message for the console: with file names instead of server paths, and form labels instead of options. */
export const forOperator = (message: string, files: (string | undefined)[]): string =>
  withFormLabels(files.reduce<string>((text, file) => (file ? text.replaceAll(`${dirname(file)}/`, '') : text), message));

/** The options of the command line that GraphQL names otherwise than in camel case. */
const namesInGraphql: Record<string, string> = {
  source: 'sourceName',
  join: 'joinUploadId',
  on: 'joinOn',
  'max-rejects': 'maxRejectsPercent',
  'no-profile': 'profile',
  'no-attributes': 'attributes',
};

const labels: Record<string, string> = optionLabels;

/** Replaces command line options in a loader message with the labels of the form. */
export const withFormLabels = (message: string): string =>
  message.replace(/--([a-z]+(?:-[a-z]+)*)/g, (option, name: string) => {
    const label = labels[namesInGraphql[name] ?? name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())];
    return label ? `“${label}”` : option;
  });
