import type { ApiKeyCalls, ApiKeyInfo } from '../../../contract/generated/types.gen.ts';
import { actorOf, change } from '../../kernel/change.ts';
import { conflict, forbidden, notFound } from '../../kernel/http/errors.ts';
import { done, ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { newSecret } from '../../kernel/secret.ts';
import * as store from './keys.store.ts';
import { isOfUse } from './scopes.ts';
import { readUse, type CallsOf } from './usage.store.ts';

type Operations = 'getApiKey' | 'enableApiKey' | 'disableApiKey' | 'getApiKeyUsage';

/** The API key in the profile of a user: one at a time, and off is for good (spec 5.3). */
export const keyHandlers: Handlers<Operations> = {
  async getApiKey(call) {
    const key = await store.findOwnKey(call.db, call.caller.siteId, call.caller.userId);
    return ok({ apiKey: key ? shown(key) : null });
  },

  async enableApiKey(call) {
    const { siteId, userId, capabilities } = call.caller;
    const { scopes } = call.body;
    // One of whose operations the caller may use none is not given: nobody could tell later what it was for.
    const useless = scopes.filter((scope) => !isOfUse(call.operations, scope, capabilities));
    if (useless.length > 0)
      throw forbidden(`You hold no capability with which these scopes are of any use: ${useless.join(', ')}`);
    const secret = newSecret();
    const key = await change(call.db, actorOf(call), async (tx, record) => {
      const made = await store.insertKey(tx, { siteId, userId, secretHash: secret.hash, scopes });
      if (!made)
        throw conflict('You have an API key that is on. Turn it off first; it can never be turned on again.');
      record({
        action: 'user.api-key-on',
        subject: ['user', userId],
        changes: { clientId: [null, made.clientId], scopes: [null, scopes] },
      });
      return made;
    });
    const { clientId, createdAt } = key;
    return ok({ clientId, clientSecret: secret.plain, scopes, createdDate: createdAt.toISOString() });
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

const shown = ({ clientId, scopes, createdAt, lastUsedAt }: store.OwnKey): ApiKeyInfo => ({
  clientId,
  scopes,
  createdDate: createdAt.toISOString(),
  lastUsedDate: lastUsedAt?.toISOString() ?? null,
});

const noKey = () => notFound('An API key that is turned on');

async function requireKey({ db, caller }: Pick<Call, 'db' | 'caller'>): Promise<store.OwnKey> {
  const key = await store.findOwnKey(db, caller.siteId, caller.userId);
  if (!key) throw noKey();
  return key;
}
