/** The options of the command line by the labels that the form of the console has for them. */
const labels: Record<string, string> = {
  map: 'Mapping',
  where: 'Only rows where',
  crs: 'Coordinate system',
  layer: 'Layer',
  'max-rejects': 'Rejected rows allowed',
  join: 'Tax roll beside it',
  on: 'Joined on',
  'join-layer': 'Layer of the tax roll',
  part: 'Part of the county',
  force: 'Load although it seems to lie elsewhere',
};

/** A message of the loader, which speaks of options of the command line, in the words of the form. */
export const inFormWords = (message: string): string =>
  message.replace(/--([a-z]+(?:-[a-z]+)*)/g, (option, name: string) => (labels[name] ? `“${labels[name]}”` : option));
