import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { Task } from '../../jobs/task.js';
import type { FetchOptions } from '../../loader/sources/fetching/county-source.js';
import { planRefresh } from '../../loader/sources/refresh-plan.js';
import type { LoadJobStore } from './load-job.store.js';

interface RefreshOptions {
  pool: Pool;
  dataSource: DataSource;
  jobs: LoadJobStore;
  olderThanDays: number;
  fetchOptions: FetchOptions;
}

/** Who starts the loads of a refresh, beside the accounts of operators. */
const refreshedBy = 'nightly refresh';

/** Starts a load of each county whose data has become old and has changed at its source. They run one after the other. */
export const refreshCounties = ({ pool, dataSource, jobs, olderThanDays, fetchOptions }: RefreshOptions): Task<'refresh-counties'> => ({
  name: 'refresh-counties',
  timeLimitSeconds: 60 * 60,
  run: async (_payload, { signal }) => {
    const { log } = fetchOptions;
    const plans = await planRefresh(pool, olderThanDays, {}, { ...fetchOptions, signal });
    for (const { county, action, why } of plans) {
      const { fips, part } = county;
      log[action === 'fail' ? 'warn' : 'info']({ fips, part, action, why }, 'refresh of a county');
      if (action !== 'load' || (await jobs.isUnderWay(fips, part))) continue;
      const options = { countyFips: fips, ...(part !== null && { part }) };
      const job = { uploadId: null, fileName: county.url, options, startedBy: refreshedBy };
      await dataSource.transaction((manager) => jobs.insert(job, manager));
    }
  },
});
