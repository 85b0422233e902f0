/** Says of a number of rows at which servers cut what they export, that it is one. */
export const cutWarning = (read: number): string[] =>
  read >= 1000 && read <= 10_000 && read % 1000 === 0
    ? [`Exactly ${read} rows: servers cut exports at such numbers. Is the file whole?`]
    : [];
