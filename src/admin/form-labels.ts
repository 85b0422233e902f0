/** The labels of the console's load form, by the command line option. */
const labels: Record<string, string> = {
  map: 'Mapping',
  where: 'Only rows where',
  crs: 'Coordinate system',
  layer: 'Layer',
  'max-rejects': 'Rejected rows allowed',
  join: 'Tax roll (optional)',
  on: 'Joined on',
  'join-layer': 'Layer of the tax roll',
  part: 'Part of the county',
  force: 'Load although it seems to lie elsewhere',
};

/** Replaces command line options in a loader message with the labels of the form. */
export const withFormLabels = (message: string): string =>
  message.replace(/--([a-z]+(?:-[a-z]+)*)/g, (option, name: string) => (labels[name] ? `“${labels[name]}”` : option));
