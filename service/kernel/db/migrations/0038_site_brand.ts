import { type Kysely, sql } from 'kysely';

/** Logo and color of a site, shown in the console and in mails (areas/sites). */
export async function up(db: Kysely<never>): Promise<void> {
  await sql
    .raw(
      `create table site_brand (
        site_id int primary key references site,
        -- "#rrggbb"; null for the color of the console.
        color text,
        -- With its media type and its size in pixels.
        logo bytea,
        logo_type text,
        logo_width int,
        logo_height int,
        -- Raised by every change, for If-Match.
        edition int not null default 1,
        check (num_nulls(logo, logo_type, logo_width, logo_height) in (0, 4))
      )`,
    )
    .execute(db);
}
