declare module 'virtual:county-shapes' {
  /** Where the county shapes (path data, Albers) are served. */
  const address: string;
  export default address;
}

declare module 'virtual:county-names' {
  /** Where the names of all counties are served: `[fips, name, state][]`. */
  const address: string;
  export default address;
}
