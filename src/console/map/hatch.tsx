/** The pattern of counties without a usable source. Each SVG that colours by status must contain it. @param size of a stripe and its gap, in SVG units */
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
