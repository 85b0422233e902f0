import { createClient } from './hey-api/client/index.js';
import { type ApiError, counties, parcels, usage } from './hey-api/index.js';
import { cornersOf, type Program, run } from './program.js';

const read: Program = async (baseUrl, token) => {
  const client = createClient({ baseUrl, auth: token });
  const { data: list } = await counties({ client, query: { status: 'loaded' }, throwOnError: true });
  const county_fips = list.counties[0]!.fips;
  const { data } = await parcels({ client, query: { county_fips, limit: 3 }, throwOnError: true });
  const { error } = await usage({ client: createClient({ baseUrl, auth: 'none' }) });
  const refused: ApiError = error!;
  return {
    charged: data.metering.credits_charged,
    corners: data.parcels.map(({ geometry }) => cornersOf(geometry)),
    refused: refused.error,
  };
};

await run(read);
