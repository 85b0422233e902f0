import createClient from 'openapi-fetch';
import type { components, paths } from './openapi-typescript.generated.js';
import { cornersOf, type Program, run } from './program.js';

const read: Program = async (baseUrl, token) => {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
  const { data: list } = await client.GET('/api/counties', { params: { query: { status: 'loaded' } } });
  const county_fips = list!.counties[0]!.fips;
  const { data, error } = await client.GET('/api/parcels', { params: { query: { county_fips, limit: 3 } } });
  if (error) throw new Error(error.message satisfies components['schemas']['ApiError']['message']);
  const refused = await client.GET('/api/usage', { headers: { Authorization: 'Bearer none' } });
  return {
    charged: data.metering.credits_charged,
    corners: data.parcels.map(({ geometry }) => cornersOf(geometry)),
    refused: refused.error!.error,
  };
};

await run(read);
