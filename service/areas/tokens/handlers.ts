import type { Scope, TokenErrorResponse, TokenRequest } from '../../../contract/generated/types.gen.ts';
import { addressKey, countOrRefuse } from '../../kernel/auth/throttle.store.ts';
import { ACTIVITY, SOURCE, writeActivity } from '../../kernel/audit/activity.store.ts';
import type { Db } from '../../kernel/db/database.ts';
import { withTransaction } from '../../kernel/db/transaction.ts';
import { ApiError } from '../../kernel/http/errors.ts';
import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { hashSecret, newSecret } from '../../kernel/secret.ts';
import * as store from './store.ts';

const LIFETIME_SECONDS = 900;
/** Token calls of one user (shapes 1); wrong ones by the client id and the address they come from. */
const TOKEN_CALLS = { limit: 300, seconds: 60 };
const INT32_MAX = 2_147_483_647;

function refuse(
  status: 400 | 401,
  error: TokenErrorResponse['error'],
  message: string,
  basic = false,
): ApiError {
  const headers: Record<string, string> = basic ? { 'www-authenticate': 'Basic realm="steward"' } : {};
  return new ApiError(status, message, [], headers, { error, error_description: message });
}

/** Client id and secret from HTTP Basic (form-decoded, RFC 6749 2.3.1) or from the form. */
function credentials(
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

/** A token is how a program signs in. */
const BY_PROGRAM = { kind: ACTIVITY.signedIn, source: SOURCE.api };

/** A refused sign-in is in the report of the key's owner; one with an id that is nobody's is in none. */
async function tellRefused(db: Db, clientId: number, secretHash: Buffer, ip: string): Promise<void> {
  const owner = await store.findKeyOwner(db, clientId, secretHash);
  if (!owner) return;
  const { siteId, userId, knowsSecret } = owner;
  const kind = knowsSecret ? ACTIVITY.forbidden : ACTIVITY.failed;
  await writeActivity(db, { siteId, userId, kind, source: SOURCE.api, ip });
}

export const issueHandlers: Handlers<'issueToken'> = {
  async issueToken({ db, body, authorization, origin }) {
    if (body.grant_type !== 'client_credentials') {
      throw refuse(400, 'unsupported_grant_type', 'grant_type: must be client_credentials');
    }
    const { id, secret, basic } = credentials(authorization, body);
    const clientId = Number(id);
    const fits = /^\d{1,10}$/.test(id) && clientId <= INT32_MAX && secret !== '';
    const key = fits ? await store.findApiKey(db, clientId, hashSecret(secret), origin.ip) : undefined;
    // Wrong secrets count against who sends them: a stranger who knows a client id cannot use up its owner's calls.
    const counted = key ? `token:${key.clientId}` : `token:${clientId}:${addressKey(origin.ip)}`;
    if (fits)
      await countOrRefuse(db, counted, TOKEN_CALLS, `At most ${TOKEN_CALLS.limit} token calls a minute`);
    if (!key && fits) await tellRefused(db, clientId, hashSecret(secret), origin.ip);
    if (!key)
      throw refuse(
        401,
        'invalid_client',
        'The client id or secret is wrong, or the key is turned off or expired',
        basic,
      );
    const asked = (body.scope ?? '').split(' ').filter(Boolean) as Scope[];
    const unknown = asked.filter((scope) => !key.scopes.includes(scope));
    if (unknown.length > 0)
      throw refuse(400, 'invalid_scope', `The key does not have the scope ${unknown.join(' ')}`);
    const scopes = asked.length > 0 ? [...new Set(asked)] : key.scopes;
    const token = newSecret();
    const seconds = await withTransaction(db, {}, async (tx) => {
      const lasting = await store.insertAccessToken(tx, key, token.hash, scopes, LIFETIME_SECONDS);
      const { siteId, userId } = key;
      await writeActivity(tx, { siteId, userId, ...BY_PROGRAM, ip: origin.ip, session: token.hash });
      return lasting;
    });
    return ok({
      access_token: token.plain,
      token_type: 'Bearer' as const,
      expires_in: seconds,
      scope: scopes.join(' '),
    });
  },
};
