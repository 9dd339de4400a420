import { createHash } from 'node:crypto';
import type { SiteBrand } from '../../../contract/generated/types.gen.ts';
import { validateBrandColor } from '../../../contract/rules/colors.ts';
import { badRequest } from '../../kernel/api-error.ts';
import { change, diffProperties, getActor, type Recorder } from '../../kernel/audit/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { type Call, type Handlers, ok } from '../../kernel/http/handler.ts';
import { formatEtag, requireVersion } from '../../kernel/http/parameters.ts';
import { getBrand, setBrand, type StoredBrand, type StoredLogo } from './brand.store.ts';
import { readLogo } from './logo.ts';

export const brandHandlers: Handlers<'getSiteBrand' | 'updateSiteBrand'> = {
  getSiteBrand: respondWithBrand,

  async updateSiteBrand(call) {
    await change(call.db, getActor(call), (tx, record) => updateBrand(tx, call, record));
    return respondWithBrand(call);
  },
};

async function respondWithBrand({ db, caller }: Pick<Call, 'db' | 'caller'>) {
  const { color, logo, edition } = await getBrand(db, caller.siteId);
  const body: SiteBrand = {
    color,
    logo: logo && {
      type: logo.type,
      width: logo.width,
      height: logo.height,
      data: logo.content.toString('base64'),
    },
  };
  return ok(body, { etag: formatEtag(edition) });
}

async function updateBrand(tx: Tx, call: Call<'updateSiteBrand'>, record: Recorder): Promise<void> {
  const { body, caller } = call;
  const before = await getBrand(tx, caller.siteId, { lock: true });
  requireVersion(call.ifMatch, before.edition, 'the appearance of the site');
  const after = readBrand(body, before);
  const changes = diffProperties(describe(before), describe(after));
  if (Object.keys(changes).length === 0) return;
  await setBrand(tx, caller.siteId, after);
  record({ action: 'site.brand', subject: ['site', caller.siteId], changes });
}

/** @throws ApiError 400 with everything that is wrong */
function readBrand(
  body: Call<'updateSiteBrand'>['body'],
  before: StoredBrand,
): Pick<StoredBrand, 'color' | 'logo'> {
  const color = body.color === undefined ? before.color : (body.color?.toLowerCase() ?? null);
  const colorError = color === null ? undefined : validateBrandColor(color);
  const logo = typeof body.logo === 'string' ? readLogo(body.logo) : undefined;
  const errors = [
    ...(colorError === undefined ? [] : [{ path: 'color', message: colorError }]),
    ...(typeof logo === 'string' ? [{ path: 'logo', message: logo }] : []),
  ];
  if (errors.length > 0) throw badRequest(errors);
  if (body.logo === null) return { color, logo: null };
  return { color, logo: typeof logo === 'object' ? logo : before.logo };
}

/** What the audit log keeps: of a logo its size and hash, not its bytes. */
const describe = ({ color, logo }: Pick<StoredBrand, 'color' | 'logo'>) => ({
  color,
  logo: logo && describeLogo(logo),
});
const describeLogo = ({ content, type, width, height }: StoredLogo): string =>
  `${type}, ${width} × ${height}, SHA-256 ${createHash('sha256').update(content).digest('hex')}`;
