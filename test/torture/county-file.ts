import { writeFile } from 'node:fs/promises';

/** A county's file of so many parcels, numbered in its order. */
export async function writeCountyFile(path: string, records: number): Promise<void> {
  const lines = Array.from({ length: records }, (_, index) => `APN-${index + 1},${index + 1} MAIN STREET,"DOE, JANE",${1_000 + index}`);
  await writeFile(path, `${['APN,SITUS_ADDRESS,OWNER,LAND_VALUE', ...lines].join('\n')}\n`);
}
