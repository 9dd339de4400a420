import { isDeepStrictEqual } from 'node:util';
import type { SiteIdentity, SiteIdentityInfo } from '../../../contract/generated/types.gen.ts';
import { conflict, badRequest, notFound, type FieldError } from '../../kernel/api-error.ts';
import { diffProperties, getActor, change } from '../../kernel/audit/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { ok, type Call, type Services } from '../../kernel/http/handler.ts';
import { formatEtag, requireVersion } from '../../kernel/http/parameters.ts';
import { validateEgressUrl } from '../../kernel/network/egress.ts';
import { requireAdministrator } from '../members/index.ts';
import { lockPlatformAdministrators, listIndependentPlatformAdministrators } from '../sites/index.ts';
import * as store from './identity.store.ts';
import { discoverProvider, openProvider, getSealContext } from './provider.ts';
import { buildRedirectUrl } from './sign-in.ts';

type NewProvider = Omit<store.StoredProvider, 'slug'>;

/**
 * The sign-in settings of a site, for platform administrators.
 * @throws ApiError 404
 */
export async function readIdentity({
  db,
  params,
  caller,
  services,
}: Pick<Call<'getSiteIdentity'>, 'db' | 'params' | 'caller' | 'services'>) {
  const { siteId } = params;
  // Before the settings: a tag of later ones would let the next write overwrite what nobody has seen.
  const version = await store.providerVersion(db, siteId);
  const stored = await requireSite(db, siteId);
  const { members, mapped } = await store.countFederatedMembers(db, siteId);
  const body: SiteIdentity = {
    mode: stored.mode,
    issuer: stored.issuer,
    clientId: stored.clientId,
    hasClientSecret: stored.clientSecret !== null,
    claim: stored.claim,
    redirectUrl: buildRedirectUrl(services.publicUrl),
    withFederationId: mapped,
    members,
    runnersBeside: toAdministratorCounts(
      await listIndependentPlatformAdministrators(db, siteId),
      caller.userId,
    ),
  };
  return ok(body, { etag: formatEtag(version) });
}

const toAdministratorCounts = (userIds: readonly number[], callerId: number) => ({
  you: userIds.includes(callerId),
  others: userIds.filter((id) => id !== callerId).length,
});

async function requireSite(db: Db, siteId: number): Promise<store.StoredProvider> {
  const stored = await store.readProvider(db, { siteId });
  if (!stored) throw notFound(`Site ${siteId}`);
  return stored;
}

const mergeText = (requested: string | null | undefined, current: string | null) =>
  requested === undefined ? current : requested?.trim() || null;

/** Applies the request to the stored settings. An empty text removes the value. */
function mergeProvider(
  before: store.StoredProvider,
  info: SiteIdentityInfo,
  encryption: Services['encryption'],
): NewProvider {
  const secret = info.clientSecret;
  const seal = (secretText: string | null) =>
    secretText ? encryption.encrypt(Buffer.from(secretText), getSealContext(before.siteId)) : null;
  return {
    siteId: before.siteId,
    mode: info.mode,
    issuer: mergeText(info.issuer, before.issuer),
    clientId: mergeText(info.clientId, before.clientId),
    clientSecret: secret === undefined ? before.clientSecret : seal(secret),
    claim: info.claim ?? before.claim,
  };
}

function validateProvider({ mode, issuer, clientId }: NewProvider): FieldError[] {
  const errors: FieldError[] = [];
  const issuerProblem = issuer === null ? undefined : validateEgressUrl(issuer);
  if (issuerProblem !== undefined) errors.push({ path: 'issuer', message: issuerProblem });
  if (mode === 'password' && (issuer === null) === (clientId === null)) return errors;
  if (issuer === null) errors.push({ path: 'issuer', message: 'is required to sign users in' });
  if (clientId === null) errors.push({ path: 'clientId', message: 'is required to sign users in' });
  return errors;
}

/** Whether a stored secret would be sent to an issuer for which it was not entered. */
const sendsSecretToNewIssuer = (before: NewProvider, after: NewProvider, info: SiteIdentityInfo): boolean =>
  info.clientSecret === undefined &&
  after.clientSecret !== null &&
  after.issuer !== null &&
  before.issuer !== after.issuer;

/**
 * Changes how a site signs users in, after checking that the provider answers.
 * @throws ApiError 400, 404, 409, 412
 */
export async function updateIdentity(call: Call<'updateSiteIdentity'>): Promise<void> {
  const { db, params, body, services } = call;
  const { siteId } = params;
  const before = await requireSite(db, siteId);
  const after = mergeProvider(before, body, services.encryption);
  const errors = validateProvider(after);
  if (sendsSecretToNewIssuer(before, after, body))
    errors.push({
      path: 'clientSecret',
      message: 'belongs to another issuer: enter the secret of this one',
    });
  if (errors.length > 0) throw badRequest(errors);
  await requireReachableProvider(after, services);
  await change(
    db,
    { ...getActor(call), siteId },
    async (tx, record) => {
      const version = await store.providerVersion(tx, siteId, { lock: true });
      requireVersion(call.ifMatch, version, 'the identity manager');
      const current = await requireSite(tx, siteId);
      // The request was completed and checked with the settings read before.
      if (!isDeepStrictEqual(current, before))
        throw conflict('The identity manager was changed in the meantime. Reload and try again.');
      await store.writeProvider(tx, after);
      await requireAdministrator(tx, siteId);
      if (current.mode === 'password' && after.mode === 'identity-manager')
        await requireIndependentPlatformAdministrator(tx, siteId);
      const secretChange = typeof body.clientSecret === 'string' ? { clientSecret: 'another one' } : {};
      const changes = {
        ...diffProperties(toAuditedProvider(current), toAuditedProvider(after)),
        ...secretChange,
      };
      if (Object.keys(changes).length > 0)
        record({ action: 'site.identity', subject: ['site', siteId], changes });
    },
    { lockSite: true },
  );
}

/**
 * An identity manager never grants access to the platform administration, so one platform administrator must be able to
 * sign in independently of this site.
 * @throws ApiError 409
 */
async function requireIndependentPlatformAdministrator(tx: Tx, siteId: number): Promise<void> {
  await lockPlatformAdministrators(tx);
  if ((await listIndependentPlatformAdministrators(tx, siteId)).length > 0) return;
  throw conflict(
    'This would lock you out: no platform administrator could sign in to the platform administration any more. At least one needs a password or a passkey and a membership on another site that accepts it.',
  );
}

/** The audited settings: whether there is a secret, never its value. */
const toAuditedProvider = ({ mode, issuer, clientId, clientSecret, claim }: NewProvider) => ({
  mode,
  issuer,
  clientId,
  claim,
  hasClientSecret: clientSecret !== null,
});

/**
 * The same text for every failure, after the same time: otherwise the issuer would be a way to find out which ports of which
 * machines are open behind the service (T21). The log has the reason.
 */
const UNUSABLE_ISSUER =
  'does not answer as an OpenID provider, or the host does not allow the service to call it (STEWARD_EGRESS_ALLOW). The log of the service has the reason.';

/** @throws ApiError 400 if the site is to use a provider that does not answer as an OpenID provider */
async function requireReachableProvider(
  newProvider: NewProvider,
  { encryption, egress }: Pick<Services, 'encryption' | 'egress'>,
): Promise<void> {
  const provider = openProvider({ ...newProvider, slug: '' }, encryption);
  if (newProvider.mode !== 'identity-manager' || !provider) return;
  await discoverProvider(provider, egress).catch(() => {
    throw badRequest([{ path: 'issuer', message: UNUSABLE_ISSUER }]);
  });
}
