declare module 'virtual:county-shapes' {
  /** The URL of the county shapes (path data, Albers projection). */
  const address: string;
  export default address;
}

declare module 'virtual:county-names' {
  /** The URL of all county names: `[fips, name, state][]`. */
  const address: string;
  export default address;
}
