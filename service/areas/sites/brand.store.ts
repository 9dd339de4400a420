import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';

export interface StoredLogo {
  content: Buffer;
  type: 'image/png' | 'image/jpeg' | 'image/webp';
  /** In pixels. */
  width: number;
  height: number;
}

/** How a site looks in the console and in its mails. */
export interface StoredBrand {
  /** "#rrggbb"; null for the color of the console. */
  color: string | null;
  logo: StoredLogo | null;
  /** Raised by every change; 0 before the first. */
  edition: number;
}

/** The brand of the site. `lock` locks it until the transaction ends. */
export async function getBrand(db: Db, siteId: number, { lock = false } = {}): Promise<StoredBrand> {
  // The row of the site is locked, because there may be no row of the brand yet.
  if (lock) await sql`select from site where site_id = ${siteId} for update`.execute(db);
  const row = await db.selectFrom('site_brand').selectAll().where('site_id', '=', siteId).executeTakeFirst();
  if (!row) return { color: null, logo: null, edition: 0 };
  const { color, logo, logo_type: type, logo_width: width, logo_height: height, edition } = row;
  return {
    color,
    logo:
      logo && type !== null && width !== null && height !== null
        ? { content: Buffer.from(logo), type, width, height }
        : null,
    edition,
  };
}

/** Stores the brand and raises its edition. */
export async function setBrand(
  tx: Tx,
  siteId: number,
  { color, logo }: Pick<StoredBrand, 'color' | 'logo'>,
): Promise<void> {
  const values = {
    color,
    logo: logo?.content ?? null,
    logo_type: logo?.type ?? null,
    logo_width: logo?.width ?? null,
    logo_height: logo?.height ?? null,
  };
  await tx
    .insertInto('site_brand')
    .values({ site_id: siteId, ...values })
    .onConflict((conflict) =>
      conflict.column('site_id').doUpdateSet({ ...values, edition: sql<number>`site_brand.edition + 1` }),
    )
    .execute();
}
