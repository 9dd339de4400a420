/** Connecting a client: the console shows who asks, and the person decides (decisions 0068). */
import { consumeRateLimit, type RateLimit } from '../../../kernel/auth/throttle.store.ts';
import { type Call, type Handlers, ok } from '../../../kernel/http/handler.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { type AuthorizationRequest, getAuthorizationServer } from './authorization-server.ts';
import { DEFAULT_KEY_DAYS, requireValidKey, storeKey } from './keys.ts';
import { requireServed } from './require-usable.ts';
import { findAgentSite } from './settings.store.ts';

type Operations = 'describeAgentAuthorization' | 'approveAgentAuthorization';

/** Requests of a person; each may call the server of a client. */
const REQUEST_LIMIT: RateLimit = { maxCount: 30, windowSeconds: 300 };
const MAX_NAME = 100;

export const connectionHandlers: Handlers<Operations> = {
  async describeAgentAuthorization(call) {
    const request = await openRequest(call);
    return ok({
      clientId: request.clientId,
      name: getClientName(request),
      address: request.clientUri ?? null,
      redirectAddress: request.redirectUri,
      denyAddress: await request.deny(),
      maxDays: AGENT_LIMITS.keyDays,
    });
  },

  async approveAgentAuthorization(call) {
    const { caller, body } = call;
    const { siteId, userId } = caller;
    const request = await openRequest(call);
    const name = getClientName(request);
    const entryTypeIds = body.entryTypeIds ?? null;
    await requireValidKey(call.db, siteId, name, entryTypeIds);
    const keyId = await storeKey(call, {
      userId,
      name,
      credential: { clientId: request.clientId },
      entryTypeIds,
      callsPerDay: null,
      days: body.expiresInDays ?? DEFAULT_KEY_DAYS,
    });
    return ok({ address: await request.approve({ siteId, keyId }, userId) });
  },
};

/** @throws ApiError 400, 403, 429 */
async function openRequest({
  db,
  caller,
  body,
  origin,
  services,
}: Pick<Call<Operations>, 'db' | 'caller' | 'body' | 'origin' | 'services'>): Promise<AuthorizationRequest> {
  requireServed(await findAgentSite(db, caller.siteId));
  const key = `agent-connect:${caller.siteId}/${caller.userId}`;
  await consumeRateLimit(db, key, REQUEST_LIMIT, 'You opened too many requests of clients');
  const server = await getAuthorizationServer(services);
  return server.open({ db, origin }, body.request);
}

/** The name that the client states, without characters that would disguise it, or the host that stands for it. */
const getClientName = ({ clientId, clientName = '' }: AuthorizationRequest): string =>
  clientName
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME)
    .toWellFormed() || new URL(clientId).host;
