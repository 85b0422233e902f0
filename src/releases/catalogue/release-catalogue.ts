import type { Pool } from 'pg';
import type { CoverageVersion } from '../../counties/coverage-version.js';

/** One published load of a county: its records have the ordinals 1 to `records`, and never change. */
export interface Release {
  id: number;
  countyFips: string;
  records: number;
}

/** The published releases at one coverage version: enough to compute any page. */
export class PublishedReleases {
  private readonly byCounty: Map<string, Release>;
  private readonly byId: Map<number, Release>;

  /** @param releases the current ones with records, ordered by county FIPS */
  constructor(
    readonly version: string,
    private readonly releases: Release[],
  ) {
    this.byCounty = new Map(releases.map((release) => [release.countyFips, release]));
    this.byId = new Map(releases.map((release) => [release.id, release]));
  }

  ofCounty(countyFips: string): Release | undefined {
    return this.byCounty.get(countyFips);
  }

  withId(id: number): Release | undefined {
    return this.byId.get(id);
  }

  /** The releases of counties after this FIPS code; '' for all. */
  after(countyFips: string): Release[] {
    const start = this.releases.findIndex((release) => release.countyFips > countyFips);
    return start < 0 ? [] : this.releases.slice(start);
  }
}

const releaseColumns = 'r.id, r.county_fips as "countyFips", r.loaded_count as records';

// For this long, readers who began a superseded release can finish it.
const finishHours = 24;

/**
 * The readable releases, in memory. It needs no notice of changes: each spend checks the version that its page was found with. So a server
 * that is behind learns it at the next read, and refreshes before it sells anything.
 */
export class ReleaseCatalogue {
  private constructor(
    private readonly pool: Pool,
    private readonly coverage: CoverageVersion,
    private latest: PublishedReleases,
  ) {}

  private refreshing: Promise<void> | null = null;

  static async open(pool: Pool, coverage: CoverageVersion): Promise<ReleaseCatalogue> {
    return new ReleaseCatalogue(pool, coverage, await readPublished(pool));
  }

  get published(): PublishedReleases {
    return this.latest;
  }

  /** Reads the catalogue again. Concurrent callers share one query. */
  refresh(): Promise<void> {
    this.refreshing ??= readPublished(this.pool)
      .then((published) => {
        this.latest = published;
      })
      .finally(() => {
        this.refreshing = null;
      });
    return this.refreshing;
  }

  /** For requests that spend nothing, and so do not learn of changes from `spend`. */
  async refreshIfStale(): Promise<void> {
    if ((await this.coverage.current()) !== this.latest.version) await this.refresh();
  }

  /** A release that was replaced less than 24 hours ago, if its county was not withdrawn since. */
  async findSuperseded(id: number): Promise<Release | undefined> {
    const { rows } = await this.pool.query<Release>(
      `select ${releaseColumns}
         from parcel_release r join county c on c.fips = r.county_fips
        where r.id = $1 and r.state = 'published' and c.current_release_id is not null
          and r.superseded_at > greatest(c.withdrawn_at, service_now() - make_interval(hours => $2))`,
      [id, finishHours],
    );
    return rows[0];
  }

  /** Any release, offered or not, for a replay. */
  async find(id: number): Promise<Release | undefined> {
    const { rows } = await this.pool.query<Release>(`select ${releaseColumns} from parcel_release r where r.id = $1`, [id]);
    return rows[0];
  }
}

/** One statement, so that version and releases belong together. */
async function readPublished(pool: Pool): Promise<PublishedReleases> {
  const { rows } = await pool.query<{ version: string } & ({ id: null } | Release)>(`
    select v.version, ${releaseColumns}
      from coverage_version v
      left join (county c join parcel_release r on r.id = c.current_release_id and r.loaded_count > 0) on true
     order by r.county_fips`);
  const releases = rows.filter((row) => row.id !== null).map(({ id, countyFips, records }) => ({ id, countyFips, records }) as Release);
  return new PublishedReleases(rows[0]!.version, releases);
}
