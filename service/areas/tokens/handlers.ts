import type {
  Scope,
  TokenErrorResponse,
  TokenRequest,
  ApiKeyCalls,
  ApiKeyInfo,
  Capability,
} from '../../../contract/generated/types.gen.ts';
import { TABLE_VIEW_OPERATIONS } from '../../../contract/rules/table-views.ts';
import { ApiError, conflict, forbidden, notFound } from '../../kernel/api-error.ts';
import { ACTIVITY_TYPE, ACTIVITY_SOURCE, insertActivity } from '../../kernel/audit/activity.store.ts';
import { getActor, change } from '../../kernel/audit/change.ts';
import { describeRefusedAddress, LICENSE_REFUSAL } from '../../kernel/auth/authorize.ts';
import { listAddressApprovers } from '../../kernel/auth/callers.store.ts';
import { getAddressKey, consumeRateLimit } from '../../kernel/auth/throttle.store.ts';
import { type Db, withTransaction } from '../../kernel/db/database.ts';
import type { Operation } from '../../kernel/http/contract.ts';
import { ok, type Handlers, noContent, type Call } from '../../kernel/http/handler.ts';
import { hashSecret, createSecret } from '../../kernel/secret.ts';
import * as tokenStore from './access-tokens.store.ts';
import * as keyStore from './api-keys.store.ts';
import { expireKeys } from './key-expiry.ts';
import { readKeyUsage, type CallCount } from './key-usage.store.ts';

const TOKEN_TTL_SECONDS = 900;
/** Token requests per key with the right secret (shapes 1). */
const TOKEN_CALL_LIMIT = { maxCount: 300, windowSeconds: 60 };
/** Wrong secrets, limited like wrong passwords: for one client id from one address, and from one address altogether. */
const WRONG_SECRETS_PER_CLIENT = { maxCount: 30, windowSeconds: 900 };
const WRONG_SECRETS_PER_ADDRESS = { maxCount: 300, windowSeconds: 300 };
const INT32_MAX = 2_147_483_647;

function oauthError(
  status: 400 | 401 | 403,
  error: TokenErrorResponse['error'],
  message: string,
  asksForBasic = false,
): ApiError {
  const headers: Record<string, string> = asksForBasic ? { 'www-authenticate': 'Basic realm="steward"' } : {};
  return new ApiError(status, message, [], headers, { error, error_description: message });
}

/** Reads client id and secret from HTTP Basic (form-decoded, RFC 6749 2.3.1) or from the form. */
function parseCredentials(
  authorization: string | undefined,
  form: TokenRequest,
): { id: string; secret: string; basic: boolean } {
  const basic = /^basic ([\w+/=-]+)$/i.exec(authorization ?? '')?.[1];
  if (basic === undefined)
    return { id: form.client_id ?? '', secret: form.client_secret ?? '', basic: false };
  const text = Buffer.from(basic, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  try {
    return {
      id: decodeURIComponent(text.slice(0, colon)),
      secret: decodeURIComponent(text.slice(colon + 1)),
      basic: true,
    };
  } catch {
    return { id: '', secret: '', basic: true };
  }
}

/** A token request is recorded as a sign-in of the key's owner. */
const PROGRAM_SIGN_IN = { kind: ACTIVITY_TYPE.signedIn, source: ACTIVITY_SOURCE.api };

/** Counts a token request with the right secret. @throws ApiError 429 */
const countTokenCall = (db: Db, clientId: number): Promise<void> =>
  consumeRateLimit(
    db,
    `token:${clientId}`,
    TOKEN_CALL_LIMIT,
    `At most ${TOKEN_CALL_LIMIT.maxCount} token requests per minute`,
  );

/**
 * Counts a wrong id or secret. It counts against its sender, so that somebody who knows a client id can neither use up the quota
 * of its owner nor lock the owner out.
 * @throws ApiError 429
 */
async function countWrongSecret(db: Db, clientId: number | undefined, ip: string): Promise<void> {
  const address = getAddressKey(ip);
  const message = 'Too many wrong client ids or secrets from this address';
  await consumeRateLimit(db, `token-failures:${address}`, WRONG_SECRETS_PER_ADDRESS, message);
  if (clientId !== undefined)
    await consumeRateLimit(db, `token:${clientId}:${address}`, WRONG_SECRETS_PER_CLIENT, message);
}

/**
 * The error for a token request without a usable key. Only a sender with the right secret learns that the address or the license
 * is the reason (spec 5.4). Recorded in the activity of the key's owner; unknown client ids have none.
 * @throws ApiError 429
 */
async function refuseTokenRequest(
  db: Db,
  { clientId, secret, basic }: { clientId: number | undefined; secret: string; basic: boolean },
  ip: string,
): Promise<ApiError> {
  const owner =
    clientId === undefined ? undefined : await tokenStore.findKeyOwner(db, clientId, hashSecret(secret), ip);
  if (clientId !== undefined && owner?.refusal) await countTokenCall(db, clientId);
  else await countWrongSecret(db, clientId, ip);
  if (owner) {
    const { siteId, userId, knowsSecret } = owner;
    const kind = knowsSecret ? ACTIVITY_TYPE.forbidden : ACTIVITY_TYPE.failed;
    await insertActivity(db, { siteId, userId, kind, source: ACTIVITY_SOURCE.api, ip });
  }
  if (owner?.refusal === 'address')
    return oauthError(
      403,
      'unauthorized_client',
      describeRefusedAddress(ip, await listAddressApprovers(db, owner)),
    );
  if (owner?.refusal === 'license') return oauthError(403, 'unauthorized_client', LICENSE_REFUSAL);
  return oauthError(
    401,
    'invalid_client',
    'The client id or secret is wrong, or the key is turned off or expired',
    basic,
  );
}

export const issueHandlers: Handlers<'issueToken'> = {
  async issueToken({ db, body, authorization, origin }) {
    if (body.grant_type !== 'client_credentials') {
      throw oauthError(400, 'unsupported_grant_type', 'grant_type: must be client_credentials');
    }
    const { id, secret, basic } = parseCredentials(authorization, body);
    const clientId = Number(id);
    const isWellFormed = /^\d{1,10}$/.test(id) && clientId <= INT32_MAX && secret !== '';
    const key = isWellFormed
      ? await tokenStore.findApiKey(db, clientId, hashSecret(secret), origin.ip)
      : undefined;
    if (!key)
      throw await refuseTokenRequest(
        db,
        { clientId: isWellFormed ? clientId : undefined, secret, basic },
        origin.ip,
      );
    await countTokenCall(db, key.clientId);
    const requestedScopes = (body.scope ?? '').split(' ').filter(Boolean) as Scope[];
    const missingScopes = requestedScopes.filter((scope) => !key.scopes.includes(scope));
    if (missingScopes.length > 0)
      throw oauthError(400, 'invalid_scope', `The key does not have the scope ${missingScopes.join(' ')}`);
    const scopes = requestedScopes.length > 0 ? [...new Set(requestedScopes)] : key.scopes;
    const token = createSecret();
    const seconds = await withTransaction(db, {}, async (tx) => {
      const lifetime = await tokenStore.insertAccessToken(tx, key, token.hash, scopes, TOKEN_TTL_SECONDS);
      const { siteId, userId } = key;
      await insertActivity(tx, { siteId, userId, ...PROGRAM_SIGN_IN, ip: origin.ip, session: token.hash });
      return lifetime;
    });
    return ok({
      access_token: token.plain,
      token_type: 'Bearer' as const,
      expires_in: seconds,
      scope: scopes.join(' '),
    });
  },
};

type KeyOperations = 'getApiKey' | 'enableApiKey' | 'disableApiKey' | 'getApiKeyUsage';

/** The API key of a user: one at a time, and turned off permanently (spec 5.3). */
export const keyHandlers: Handlers<KeyOperations> = {
  async getApiKey(call) {
    return ok(toApiKeys(await keyStore.findLatestKey(call.db, call.caller.siteId, call.caller.userId)));
  },

  async enableApiKey(call) {
    const { siteId, userId, capabilities } = call.caller;
    const { scopes, expiresInDays: days = null } = call.body;
    // A scope without usable operations is refused: nobody could tell later why the key has it.
    const unusable = scopes.filter((scope) => !isScopeUsable(call.operations, scope, capabilities));
    if (unusable.length > 0)
      throw forbidden(`You have no capability for any operation of these scopes: ${unusable.join(', ')}`);
    await expireKeys(call.db, siteId, userId);
    const secret = createSecret();
    const key = await change(call.db, getActor(call), async (tx, record) => {
      const inserted = await keyStore.insertKey(tx, {
        siteId,
        userId,
        secretHash: secret.hash,
        scopes,
        days,
      });
      if (!inserted)
        throw conflict(
          'You already have an active API key. Turn it off first; it cannot be turned on again.',
        );
      record({
        action: 'user.api-key-on',
        subject: ['user', userId],
        changes: {
          clientId: [null, inserted.clientId],
          scopes: [null, scopes],
          apiKeyExpiresDate: [null, inserted.expiresAt],
        },
      });
      return inserted;
    });
    const { clientId, createdAt, expiresAt } = key;
    return ok({
      clientId,
      clientSecret: secret.plain,
      scopes,
      createdDate: createdAt.toISOString(),
      expiresDate: expiresAt?.toISOString() ?? null,
    });
  },

  async disableApiKey(call) {
    const { siteId, userId } = call.caller;
    await change(call.db, getActor(call), async (tx, record) => {
      const clientId = await keyStore.disableKey(tx, siteId, userId);
      if (clientId === undefined) throw apiKeyNotFound();
      record({
        action: 'user.api-key-off',
        subject: ['user', userId],
        changes: { clientId: [clientId, null] },
      });
    });
    return noContent;
  },

  async getApiKeyUsage(call) {
    const { clientId } = await requireActiveKey(call);
    const { since, calls, by } = await readKeyUsage(call.db, clientId);
    const summaries = new Map(call.operations.map(({ id, summary }) => [id, summary]));
    return ok({
      clientId,
      sinceDate: since.toISOString(),
      calls,
      operations: by.operation_id.map((each) => ({ ...each, label: summaries.get(each.name) ?? each.name })),
      addresses: by.ip.map(toLabeledCalls),
      agents: by.agent.map(toLabeledCalls),
      tokens: await keyStore.countAccessTokens(call.db, clientId),
      // Neither publications nor Relationship Intelligence imports are implemented; null means not counted, 0 would
      // mean none.
      openStreams: null,
      runningImports: null,
    });
  },
};

const toLabeledCalls = (calls: CallCount): ApiKeyCalls => ({
  ...calls,
  label: calls.name === '' ? 'Unnamed' : calls.name,
});

/** The active or the expired key as shown to its owner and to administrators; at most one is set. */
export const toApiKeys = (
  key: keyStore.StoredApiKey | undefined,
): { apiKey: ApiKeyInfo | null; expiredApiKey: ApiKeyInfo | null } => ({
  apiKey: key && !key.isExpired ? toApiKeyInfo(key) : null,
  expiredApiKey: key?.isExpired ? toApiKeyInfo(key) : null,
});

const toApiKeyInfo = ({
  clientId,
  scopes,
  createdAt,
  lastUsedAt,
  expiresAt,
}: keyStore.StoredApiKey): ApiKeyInfo => ({
  clientId,
  scopes,
  createdDate: createdAt.toISOString(),
  lastUsedDate: lastUsedAt?.toISOString() ?? null,
  expiresDate: expiresAt?.toISOString() ?? null,
});

const apiKeyNotFound = () => notFound('An active API key');

async function requireActiveKey({ db, caller }: Pick<Call, 'db' | 'caller'>): Promise<keyStore.StoredApiKey> {
  const key = await keyStore.findLatestKey(db, caller.siteId, caller.userId);
  if (!key || key.isExpired) throw apiKeyNotFound();
  return key;
}

/** Whether the capabilities allow any operation of the scope. */
const isScopeUsable = (
  operations: readonly Operation[],
  scope: Scope,
  held: ReadonlySet<Capability>,
): boolean =>
  operations.some(
    (operation) =>
      operation.scope === scope &&
      !TABLE_VIEW_OPERATIONS.has(operation.id) &&
      (operation.capabilities.length === 0 ||
        (operation.capabilities as readonly Capability[]).some((capability) => held.has(capability))),
  );
