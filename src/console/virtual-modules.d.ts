declare module 'virtual:county-shapes' {
  /** Where the county shapes (TopoJSON, Albers, 975×610) are served. */
  const address: string;
  export default address;
}
