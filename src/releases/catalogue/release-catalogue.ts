import type { Pool } from 'pg';
import type { CoverageVersion } from '../../counties/coverage-version.js';

/** One published load of a county: its records have the ordinals 1 to `records`, and never change. */
export interface Release {
  id: number;
  countyFips: string;
  records: number;
}

/** What is published at one version of coverage: enough to find any page by arithmetic. */
export class PublishedReleases {
  private readonly byCounty: Map<string, Release>;
  private readonly byId: Map<number, Release>;

  /** @param releases the current ones that have records, by county FIPS */
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

  /** Those of the counties after this one, by FIPS; all of them after ''. */
  after(countyFips: string): Release[] {
    const start = this.releases.findIndex((release) => release.countyFips > countyFips);
    return start < 0 ? [] : this.releases.slice(start);
  }
}

const releaseColumns = 'r.id, r.county_fips as "countyFips", r.loaded_count as records';

// A superseded release is finished by those who began it, for this long.
const finishHours = 24;

/**
 * The releases that can be read, in memory. Nobody tells it of changes: each spend says whether the version that its page was
 * found with still holds, so a server that is behind finds out with the next read, and looks again before it sells anything.
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

  /** Looks again, once for all who ask meanwhile. */
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

  /** For requests that spend nothing, and so are not told of changes. */
  async refreshIfStale(): Promise<void> {
    if ((await this.coverage.current()) !== this.latest.version) await this.refresh();
  }

  /** A release that another one took the place of not long ago, of a county that was not withdrawn since. */
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

  /** Any release, offered or not: for a page that is repeated to who paid for it. */
  async find(id: number): Promise<Release | undefined> {
    const { rows } = await this.pool.query<Release>(`select ${releaseColumns} from parcel_release r where r.id = $1`, [id]);
    return rows[0];
  }
}

/** One statement, so that the version is that of the releases beside it. */
async function readPublished(pool: Pool): Promise<PublishedReleases> {
  const { rows } = await pool.query<{ version: string } & ({ id: null } | Release)>(`
    select v.version, ${releaseColumns}
      from coverage_version v
      left join (county c join parcel_release r on r.id = c.current_release_id and r.loaded_count > 0) on true
     order by r.county_fips`);
  const releases = rows.filter((row) => row.id !== null).map(({ id, countyFips, records }) => ({ id, countyFips, records }) as Release);
  return new PublishedReleases(rows[0]!.version, releases);
}
