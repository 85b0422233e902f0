/** Files that the build writes, by the FIPS codes of the states: see `vite.config.ts`. */
declare module 'virtual:state-shapes' {
  const files: Record<string, { box: [left: number, top: number, right: number, bottom: number]; address: string }>;
  export default files;
}

/** The URL of a file that the build writes: see `vite.config.ts`. */
declare module 'virtual:*' {
  const address: string;
  export default address;
}
