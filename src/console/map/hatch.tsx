/** What fills a county without a usable source. A drawing that paints by status has to hold it. @param size of a stripe with its gap, in the drawing's units */
export function Hatch({ size }: { size: number }) {
  return (
    <defs>
      <pattern id="hatch" width={size} height={size} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width={size} height={size} fill="var(--status-planned)" />
        <rect width={size / 2} height={size} fill="var(--status-unavailable)" />
      </pattern>
    </defs>
  );
}
