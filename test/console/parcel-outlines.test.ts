import { drawParcels } from '../../src/console/customer/usage/parcel-outlines.js';

const nowhere = { geometry: null, latitude: null, longitude: null };

/** A square that begins at a corner, as many degrees wide. */
function square(west: number, south: number, size: number) {
  const ring = [
    [west, south],
    [west + size, south],
    [west + size, south + size],
    [west, south + size],
    [west, south],
  ];
  return { ...nowhere, geometry: { type: 'Polygon' as const, coordinates: [ring] } };
}

describe('the drawing of parcels', () => {
  it('has north up, all of it in view, and both directions in one scale', () => {
    const drawing = drawParcels([square(-71.2, 42.4, 0.001), square(-71.198, 42.4, 0.001)], 640, 360)!;
    const [left, right] = drawing.outlines;
    expect(left!.path).toMatch(/^M8 /);
    expect(right!.x - left!.x).toBeCloseTo((2 / 3) * (640 - 16), 0);
    expect(drawing.height).toBeLessThanOrEqual(360);
    expect(drawing.widthKm).toBeCloseTo((0.003 * Math.cos((42.4005 * Math.PI) / 180) * 111.32 * 640) / 624, 2);
  });

  it('draws every part of a parcel, and its point where it has no shape', () => {
    const [one, two] = [square(0, 0, 1), square(2, 0, 1)];
    const both = {
      ...nowhere,
      geometry: { type: 'MultiPolygon' as const, coordinates: [one.geometry.coordinates, two.geometry.coordinates] },
    };
    const { outlines } = drawParcels([both, { ...nowhere, latitude: 0.5, longitude: 1.5 }], 640, 360)!;
    expect(outlines[0]!.path.match(/M/g)).toHaveLength(2);
    expect(outlines[1]).toMatchObject({ size: 0, x: 320 });
  });

  it('leaves out what is nowhere; of nothing else there is no drawing', () => {
    expect(drawParcels([nowhere, square(0, 0, 1)], 640, 360)!.outlines).toHaveLength(1);
    expect(drawParcels([nowhere], 640, 360)).toBeNull();
    expect(drawParcels([{ ...nowhere, latitude: 42, longitude: -71 }], 640, 360)!.outlines).toHaveLength(1);
  });
});
