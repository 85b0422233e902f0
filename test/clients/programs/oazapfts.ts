import { type ApiError, counties, defaults, parcels, usage } from './oazapfts.generated.js';
import { cornersOf, type Program, run } from './program.js';

const read: Program = async (baseUrl, token) => {
  defaults.baseUrl = baseUrl;
  const list = await counties({ status: 'loaded' });
  if (list.status !== 200) throw new Error(`counties: ${list.status}`);
  const page = await parcels({ countyFips: list.data.counties[0]!.fips, limit: 3 }, { headers: { Authorization: `Bearer ${token}` } });
  if (page.status !== 200) throw new Error(`parcels: ${page.status}`);
  const refused = await usage({ headers: { Authorization: 'Bearer none' } });
  if (refused.status !== 401) throw new Error(`usage: ${refused.status}`);
  const { metering } = page.data;
  return {
    charged: metering.credits_charged,
    corners: page.data.parcels.map(({ geometry }) => cornersOf(geometry)),
    refused: (refused.data satisfies ApiError).error,
  };
};

await run(read);
