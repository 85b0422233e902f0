import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How much of its county the current release has. The trigger `county_describes_its_release` fills these columns, at first when it is made. */
export class CountyExtent1790000000034 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table county
        add column area_share double precision,
        add column part_names text[],
        add column is_partial boolean not null default false,
        add constraint county_area_share_is_a_share check (area_share between 0 and 1)
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger if exists county_describes_its_release on county');
    await db.query('alter table county drop column area_share, drop column part_names, drop column is_partial');
  }
}
