const mostShown = 20;

export const shownColumns = (names: string[]): string =>
  names.length > mostShown ? `${names.slice(0, mostShown).join(', ')} and ${names.length - mostShown} more` : names.join(', ');
