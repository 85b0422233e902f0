import { Client } from 'pg';
import type { Logger } from 'pino';

/** One published load of a county: its records have the ordinals 1 to `records`, and never change. */
export interface Release {
  id: number;
  countyFips: string;
  records: number;
}

const channel = 'parcel_releases';
const reconnectMs = 1_000;
const fallbackRefreshMs = 60_000;

/**
 * The releases that can be read, in memory, so that finding a page is arithmetic. It follows the database by LISTEN;
 * being behind for a moment is harmless, since an old release stays readable.
 */
export class ReleaseCatalogue {
  /** The current release of each county that has records, by FIPS. */
  private current: Release[] = [];
  private currentOf = new Map<string, Release>();
  private readable = new Map<number, Release>();
  private listener: Client | null = null;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  private constructor(
    private readonly url: string,
    private readonly log: Logger,
  ) {}

  static async open(url: string, log: Logger): Promise<ReleaseCatalogue> {
    const catalogue = new ReleaseCatalogue(url, log);
    await catalogue.listen();
    return catalogue;
  }

  currentReleaseOf(countyFips: string): Release | undefined {
    return this.currentOf.get(countyFips);
  }

  /** The current releases of the counties after this one, by FIPS; all of them after ''. */
  currentAfter(countyFips: string): Release[] {
    const start = this.current.findIndex((release) => release.countyFips > countyFips);
    return start < 0 ? [] : this.current.slice(start);
  }

  /** Any release that still has its records: a current one, or one that was lately. */
  readableRelease(id: number): Release | undefined {
    return this.readable.get(id);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.listener?.end();
  }

  // Listens first and reads then, so that nothing published in between is missed.
  private async listen(): Promise<void> {
    const client = new Client({ connectionString: this.url, application_name: 'parcel-records catalogue', connectionTimeoutMillis: 5_000 });
    client.on('error', (error) => this.relisten(client, error));
    client.on('end', () => this.relisten(client));
    client.on('notification', () => this.refresh(client));
    this.listener = client;
    await client.connect();
    await client.query(`listen ${channel}`);
    await this.refresh(client);
  }

  private relisten(client: Client, error?: Error): void {
    if (this.isClosed || this.listener !== client) return;
    this.listener = null;
    this.log.warn({ error }, 'lost the connection that tells of new releases; connecting again');
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.listen().catch((cause: Error) => {
        const failed = this.listener;
        if (failed) this.relisten(failed, cause);
      });
    }, reconnectMs);
  }

  private async refresh(client: Client): Promise<void> {
    clearTimeout(this.timer);
    const { rows } = await client.query<Release & { isCurrent: boolean }>(`
      select r.id, r.county_fips as "countyFips", r.loaded_count as records, c.current_release_id is not distinct from r.id as "isCurrent"
        from parcel_release r join county c on c.fips = r.county_fips
       where r.state = 'published'
       order by r.county_fips`);
    this.readable = new Map(rows.map((release) => [release.id, release]));
    this.current = rows.filter((release) => release.isCurrent && release.records > 0);
    this.currentOf = new Map(this.current.map((release) => [release.countyFips, release]));
    this.timer = setTimeout(() => this.refresh(client).catch(() => {}), fallbackRefreshMs);
    this.timer.unref();
  }
}
