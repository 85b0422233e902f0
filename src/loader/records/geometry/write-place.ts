import { type Polygon, unitsPerDegree } from '../../formats/shapes/ring.js';
import type { ByteWriter } from '../byte-writer.js';
import type { Place } from './geometry.js';

/** The place's polygons as GeoJSON text: WGS84, seven decimals; `null` where there is no area. */
export function writeGeometry(place: Place | null, out: ByteWriter): void {
  const polygons = place?.polygons ?? [];
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

/** Degrees that are whole units; `null` where there is no place. */
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
