/** The URL of a file that the build writes: see `vite.config.ts`. */
declare module 'virtual:*' {
  const address: string;
  export default address;
}
