import type { SiteIdentity, SiteIdentityInfo } from '../../../contract/generated/types.gen.ts';
import { differences } from '../../kernel/audit/differences.ts';
import { actorOf, change } from '../../kernel/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { egressFault } from '../../kernel/egress.ts';
import { conflict, invalid, notFound, type FieldError } from '../../kernel/http/errors.ts';
import { etagOf, requireVersion } from '../../kernel/http/etag.ts';
import { ok, type Call, type Services } from '../../kernel/http/handler.ts';
import { requireAdministrator } from '../members/index.ts';
import { lockRunners, runnersBeside } from '../sites/index.ts';
import { discover, openProvider, sealContext } from './provider.ts';
import * as store from './provider.store.ts';
import { redirectUrl } from './sign-in.ts';

type Wanted = Omit<store.StoredProvider, 'slug'>;

/** How a site signs people in, for those who run the platform. @throws ApiError 404 */
export async function readIdentity({
  db,
  params,
  caller,
  services,
}: Pick<Call<'getSiteIdentity'>, 'db' | 'params' | 'caller' | 'services'>) {
  const { siteId } = params;
  const stored = await requireSite(db, siteId);
  const { members, mapped } = await store.countMapped(db, siteId);
  const body: SiteIdentity = {
    mode: stored.mode,
    issuer: stored.issuer,
    clientId: stored.clientId,
    hasClientSecret: stored.clientSecret !== null,
    claim: stored.claim,
    redirectUrl: redirectUrl(services.publicUrl),
    withFederationId: mapped,
    members,
    runnersBeside: others(await runnersBeside(db, siteId), caller.userId),
  };
  return ok(body, { etag: etagOf(await store.providerVersion(db, siteId)) });
}

const others = (runners: readonly number[], me: number) => ({
  you: runners.includes(me),
  others: runners.filter((id) => id !== me).length,
});

async function requireSite(db: Db, siteId: number): Promise<store.StoredProvider> {
  const stored = await store.readProvider(db, { siteId });
  if (!stored) throw notFound(`Site ${siteId}`);
  return stored;
}

const text = (given: string | null | undefined, kept: string | null) =>
  given === undefined ? kept : given?.trim() || null;

/** What is wanted with what is kept; an empty text is none. */
function wantedOf(before: store.StoredProvider, info: SiteIdentityInfo, seals: Services['seals']): Wanted {
  const secret = info.clientSecret;
  const sealed = (plain: string | null) =>
    plain ? seals.seal(Buffer.from(plain), sealContext(before.siteId)) : null;
  return {
    siteId: before.siteId,
    mode: info.mode,
    issuer: text(info.issuer, before.issuer),
    clientId: text(info.clientId, before.clientId),
    clientSecret: secret === undefined ? before.clientSecret : sealed(secret),
    claim: info.claim ?? before.claim,
  };
}

function faultsOf({ mode, issuer, clientId }: Wanted): FieldError[] {
  const faults: FieldError[] = [];
  const fault = issuer === null ? undefined : egressFault(issuer);
  if (fault !== undefined) faults.push({ path: 'issuer', message: fault });
  if (mode === 'password' && (issuer === null) === (clientId === null)) return faults;
  if (issuer === null) faults.push({ path: 'issuer', message: 'is needed to sign people in' });
  if (clientId === null) faults.push({ path: 'clientId', message: 'is needed to sign people in' });
  return faults;
}

/** A secret that is kept goes to nobody but whom it was given by. */
const sendsSecretElsewhere = (before: Wanted, wanted: Wanted, info: SiteIdentityInfo): boolean =>
  info.clientSecret === undefined &&
  wanted.clientSecret !== null &&
  wanted.issuer !== null &&
  before.issuer !== wanted.issuer;

/** Changes how a site signs people in; the provider is asked first. @throws ApiError 400, 404, 409, 412 */
export async function updateIdentity(call: Call<'updateSiteIdentity'>): Promise<void> {
  const { db, params, body, services } = call;
  const { siteId } = params;
  const before = await requireSite(db, siteId);
  const wanted = wantedOf(before, body, services.seals);
  const faults = faultsOf(wanted);
  if (sendsSecretElsewhere(before, wanted, body))
    faults.push({
      path: 'clientSecret',
      message: 'was given by another issuer: give the one of this issuer',
    });
  if (faults.length > 0) throw invalid(faults);
  await requireProvider(wanted, services);
  await change(
    db,
    { ...actorOf(call), siteId },
    async (tx, record) => {
      const version = await store.providerVersion(tx, siteId, { lock: true });
      requireVersion(call.ifMatch, version, 'The identity manager');
      const was = await requireSite(tx, siteId);
      if (sendsSecretElsewhere(was, wanted, body))
        throw conflict('The identity manager has changed meanwhile');
      await store.writeProvider(tx, wanted);
      await requireAdministrator(tx, siteId);
      if (was.mode === 'password' && wanted.mode === 'identity-manager')
        await requireRunnerBeside(tx, siteId);
      const replaced = typeof body.clientSecret === 'string' ? { clientSecret: 'another one' } : {};
      const changes = { ...differences(told(was), told(wanted)), ...replaced };
      if (Object.keys(changes).length > 0)
        record({ action: 'site.identity', subject: ['site', siteId], changes });
    },
    { alone: true },
  );
}

/**
 * A manager opens the administration of the platform for nobody: somebody who runs it needs a way in beside it.
 * @throws ApiError 409
 */
async function requireRunnerBeside(tx: Tx, siteId: number): Promise<void> {
  await lockRunners(tx);
  if ((await runnersBeside(tx, siteId)).length > 0) return;
  throw conflict(
    'You would lock yourself out: nobody who runs the platform could sign in to run it any more. One of them needs a password or a passkey, and another site that takes it.',
  );
}

/** What an audit row tells: that there is a secret, never which. */
const told = ({ mode, issuer, clientId, clientSecret, claim }: Wanted) => ({
  mode,
  issuer,
  clientId,
  claim,
  hasClientSecret: clientSecret !== null,
});

/** @throws ApiError 400 when the site is to be opened by a provider that does not answer as one */
async function requireProvider(wanted: Wanted, { seals }: Pick<Services, 'seals'>): Promise<void> {
  const provider = openProvider({ ...wanted, slug: '' }, seals);
  if (wanted.mode !== 'identity-manager' || !provider) return;
  await discover(provider).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw invalid([{ path: 'issuer', message: `does not answer as an OpenID provider: ${why}` }]);
  });
}
