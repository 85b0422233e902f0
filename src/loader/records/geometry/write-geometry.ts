import { type Polygon, unitsPerDegree } from '../../formats/shapes/ring.js';
import type { ByteWriter } from '../byte-writer.js';
import type { ParcelLocation } from './geometry.js';

/** Writes the polygons as GeoJSON in WGS84 with seven decimals, or `null` if there are none. */
export function writeGeometry(location: ParcelLocation | null, out: ByteWriter): void {
  const polygons = location?.polygons ?? [];
  if (polygons.length === 0) out.json(null);
  else if (polygons.length === 1) {
    out.ascii('{"type":"Polygon","coordinates":');
    writePolygon(polygons[0]!, out);
    out.ascii('}');
  } else {
    out.ascii('{"type":"MultiPolygon","coordinates":');
    polygons.forEach((polygon, i) => {
      out.ascii(i === 0 ? '[' : ',');
      writePolygon(polygon, out);
    });
    out.ascii(']}');
  }
}

/** Writes degrees, or `null` if there are none. */
export function writeDegrees(degrees: number | undefined, out: ByteWriter): void {
  if (degrees === undefined) out.json(null);
  else out.degrees(Math.round(degrees * unitsPerDegree));
}

function writePolygon({ rings }: Polygon, out: ByteWriter): void {
  for (let r = 0; r < rings.length; r++) {
    const ring = rings[r]!;
    out.ascii(r === 0 ? '[[' : ',[');
    for (let i = 0; i < ring.length; i += 2) {
      out.ascii(i === 0 ? '[' : ',[');
      out.degrees(ring[i]!);
      out.ascii(',');
      out.degrees(ring[i + 1]!);
      out.ascii(']');
    }
    out.ascii(']');
  }
  out.ascii(']');
}
