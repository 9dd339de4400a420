import type { ApiKeyCalls, ApiKeyInfo, Capability, Scope } from '../../../contract/generated/types.gen.ts';
import { actorOf, change } from '../../kernel/change.ts';
import { conflict, forbidden, notFound } from '../../kernel/http/errors.ts';
import { done, ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { newSecret } from '../../kernel/secret.ts';
import { endExpiredKeys } from './ends.ts';
import * as store from './keys.store.ts';
import { readUse, type CallsOf } from './usage.store.ts';
import type { Operation } from '../../kernel/http/contract.ts';

type Operations = 'getApiKey' | 'enableApiKey' | 'disableApiKey' | 'getApiKeyUsage';

/** The API key in the profile of a user: one at a time, and off is for good (spec 5.3). */
export const keyHandlers: Handlers<Operations> = {
  async getApiKey(call) {
    return ok(shownKey(await store.findKey(call.db, call.caller.siteId, call.caller.userId)));
  },

  async enableApiKey(call) {
    const { siteId, userId, capabilities } = call.caller;
    const { scopes, expiresInDays: days = null } = call.body;
    // One of whose operations the caller may use none is not given: nobody could tell later what it was for.
    const useless = scopes.filter((scope) => !isOfUse(call.operations, scope, capabilities));
    if (useless.length > 0)
      throw forbidden(`You hold no capability with which these scopes are of any use: ${useless.join(', ')}`);
    await endExpiredKeys(call.db, siteId, userId);
    const secret = newSecret();
    const key = await change(call.db, actorOf(call), async (tx, record) => {
      const made = await store.insertKey(tx, { siteId, userId, secretHash: secret.hash, scopes, days });
      if (!made)
        throw conflict('You have an API key that is on. Turn it off first; it can never be turned on again.');
      record({
        action: 'user.api-key-on',
        subject: ['user', userId],
        changes: {
          clientId: [null, made.clientId],
          scopes: [null, scopes],
          apiKeyExpiresDate: [null, made.expiresAt],
        },
      });
      return made;
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
    await change(call.db, actorOf(call), async (tx, record) => {
      const clientId = await store.disableKey(tx, siteId, userId);
      if (clientId === undefined) throw noKey();
      record({
        action: 'user.api-key-off',
        subject: ['user', userId],
        changes: { clientId: [clientId, null] },
      });
    });
    return done;
  },

  async getApiKeyUsage(call) {
    const { clientId } = await requireKey(call);
    const { since, calls, by } = await readUse(call.db, clientId);
    const summaries = new Map(call.operations.map(({ id, summary }) => [id, summary]));
    return ok({
      clientId,
      sinceDate: since.toISOString(),
      calls,
      operations: by.operation_id.map((each) => ({ ...each, label: summaries.get(each.name) ?? each.name })),
      addresses: by.ip.map(named),
      agents: by.agent.map(named),
      tokens: await store.countTokens(call.db, clientId),
      // Neither publications nor imports of Relationship Intelligence are built: none counted would say none are open.
      openStreams: null,
      runningImports: null,
    });
  },
};

const named = (calls: CallsOf): ApiKeyCalls => ({
  ...calls,
  label: calls.name === '' ? 'Unnamed' : calls.name,
});

/** The key that is on and the one that has expired, as their owner and administrators see them: one of them at most. */
export const shownKey = (
  key: store.OwnKey | undefined,
): { apiKey: ApiKeyInfo | null; expiredApiKey: ApiKeyInfo | null } => ({
  apiKey: key && !key.isExpired ? shown(key) : null,
  expiredApiKey: key?.isExpired ? shown(key) : null,
});

const shown = ({ clientId, scopes, createdAt, lastUsedAt, expiresAt }: store.OwnKey): ApiKeyInfo => ({
  clientId,
  scopes,
  createdDate: createdAt.toISOString(),
  lastUsedDate: lastUsedAt?.toISOString() ?? null,
  expiresDate: expiresAt?.toISOString() ?? null,
});

const noKey = () => notFound('An API key that is turned on');

async function requireKey({ db, caller }: Pick<Call, 'db' | 'caller'>): Promise<store.OwnKey> {
  const key = await store.findKey(db, caller.siteId, caller.userId);
  if (!key || key.isExpired) throw noKey();
  return key;
}

/** Whether somebody with these capabilities may call anything that the scope opens. */
const isOfUse = (operations: readonly Operation[], scope: Scope, held: ReadonlySet<Capability>): boolean =>
  operations.some(
    (operation) =>
      operation.scope === scope &&
      (operation.capabilities.length === 0 ||
        (operation.capabilities as readonly Capability[]).some((capability) => held.has(capability))),
  );
