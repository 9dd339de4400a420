import type { AgentKey, AgentKeySecret } from '../../../../contract/generated/types.gen.ts';
import { badRequest, conflict, forbidden, notFound, type FieldError } from '../../../kernel/api-error.ts';
import { change, getActor } from '../../../kernel/audit/change.ts';
import { requireCapabilities } from '../../../kernel/auth/authorize.ts';
import type { Caller } from '../../../kernel/auth/caller.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { type Call, type Handlers, noContent, ok } from '../../../kernel/http/handler.ts';
import { createSecret, hashSecret } from '../../../kernel/secret.ts';
import { loadSchema } from '../../schema/index.ts';
import { MAX_KEYS_PER_PERSON } from '../limits.ts';
import { AGENT_CAPABILITIES } from '../tools/tools.ts';
import * as store from './keys.store.ts';
import { requireLicensed, requireServed } from './require-usable.ts';
import { findAgentSite } from './settings.store.ts';

type Operations = 'listAgentKeys' | 'createAgentKey' | 'updateAgentKey' | 'revokeAgentKey';

/** Starts the secrets of agent keys, so that scanners of source code find a leaked one. */
const SECRET_PREFIX = 'steward_agent_';
/** Days of a key whose request names none. */
export const DEFAULT_KEY_DAYS = 30;

/** Only who administers the settings sees and ends the keys of others. */
export const administersAgents = ({ capabilities }: Caller): boolean => capabilities.has('Manage Settings');

/** Id of the only person whose keys and calls the caller may see; undefined: those of all. */
export const getVisibleOwner = (caller: Caller): number | undefined =>
  administersAgents(caller) ? undefined : caller.userId;

export const agentKeyHandlers: Handlers<Operations> = {
  async listAgentKeys({ db, caller, query }) {
    const owner = getVisibleOwner(caller);
    if (owner !== undefined && query.userId !== undefined && query.userId !== owner) return ok([]);
    const userId = owner ?? query.userId;
    return ok(
      await store.listKeys(db, {
        siteId: caller.siteId,
        userId,
        states: query.state && [query.state],
      }),
    );
  },

  createAgentKey: async (call) => ok(await createKey(call)),

  updateAgentKey: async (call) => ok(await pauseKey(call)),

  async revokeAgentKey(call) {
    const { caller, params } = call;
    const { siteId } = caller;
    await change(call.db, getActor(call), async (tx, record) => {
      const filter = { siteId, keyId: params.keyId, ownerId: getVisibleOwner(caller) };
      const [key] = await store.revokeKeys(tx, filter, caller.userId);
      if (!key) throw notFound(`Active agent key ${params.keyId}`);
      record({
        action: 'agent-key.revoke',
        subject: ['agent-key', key.id, key.name],
        changes: { name: [key.name, null], userId: [key.userId, null] },
      });
    });
    return noContent;
  },
};

/** @throws ApiError 400, 403, 404, 409 */
async function createKey(call: Call<'createAgentKey'>): Promise<AgentKeySecret> {
  const { caller, body } = call;
  const { siteId } = caller;
  const userId = body.userId ?? caller.userId;
  const name = body.name.trim();
  const entryTypeIds = body.entryTypeIds ?? null;
  await requireValidKey(call.db, siteId, name, entryTypeIds);
  if (userId !== caller.userId) requireCapabilities(caller, ['Manage Settings']);
  const secret = createKeySecret();
  const id = await storeKey(call, {
    userId,
    name,
    credential: { secretHash: secret.hash },
    entryTypeIds,
    callsPerDay: body.callsPerDay ?? null,
    days: body.expiresInDays ?? DEFAULT_KEY_DAYS,
  });
  const [key] = await store.listKeys(call.db, { siteId, keyId: id });
  if (!key) throw new Error('The key that was just created does not exist');
  return { key, secret: secret.plain };
}

/** Pauses or resumes a key. @throws ApiError 403, 404 */
async function pauseKey(call: Call<'updateAgentKey'>): Promise<AgentKey> {
  const { caller, params, body } = call;
  const { siteId } = caller;
  const { isPaused } = body;
  const filter = { siteId, keyId: params.keyId, ownerId: getVisibleOwner(caller) };
  await change(call.db, getActor(call), async (tx, record) => {
    const key = await store.lockLastingKey(tx, filter);
    if (!key) throw notFound(`Active agent key ${params.keyId}`);
    if (key.isPaused === isPaused) return;
    // Otherwise the person of an agent could undo what an administrator has stopped.
    if (!isPaused && key.pausedBy !== caller.userId && !administersAgents(caller))
      throw forbidden('Somebody else has paused this key: only administrators of settings can resume it');
    await store.setPaused(tx, filter, isPaused ? caller.userId : null);
    record({
      action: isPaused ? 'agent-key.pause' : 'agent-key.resume',
      subject: ['agent-key', key.id, key.name],
      changes: { isPaused: [!isPaused, isPaused] },
    });
  });
  const [key] = await store.listKeys(call.db, { siteId, keyId: params.keyId });
  if (!key) throw notFound(`Active agent key ${params.keyId}`);
  return key;
}

/**
 * Stores a key of a person, or the connection of a client, which has no name to choose.
 * @returns its id
 * @throws ApiError 403, 404, 409
 */
export function storeKey(
  call: Pick<Call, 'db' | 'caller' | 'origin'>,
  key: Omit<store.NewKey, 'siteId' | 'createdBy'>,
): Promise<number> {
  const { caller } = call;
  const { siteId } = caller;
  const { userId, name, credential, entryTypeIds, callsPerDay, days } = key;
  const clientId = 'clientId' in credential ? credential.clientId : undefined;
  return change(
    call.db,
    getActor(call),
    async (tx, record) => {
      const site = await findAgentSite(tx, siteId);
      if (clientId === undefined) requireLicensed(site);
      else requireServed(site);
      const owner = await store.findKeyOwner(tx, siteId, userId);
      if (!owner) throw notFound(`User ${userId}`);
      if (!owner.capabilities.includes('Use Agent Server'))
        throw forbidden('The person needs the capability Use Agent Server');
      // Nobody creates a credential that reads more than they do (T05).
      requireCapabilities(
        caller,
        AGENT_CAPABILITIES.filter((capability) => owner.capabilities.includes(capability)),
      );
      const isTaken = owner.activeNames.some((active) => active.toLowerCase() === name.toLowerCase());
      if (clientId === undefined && isTaken) throw conflict(`The person has an active agent key "${name}"`);
      if (owner.activeKeys >= MAX_KEYS_PER_PERSON)
        throw conflict(
          `The person has ${MAX_KEYS_PER_PERSON} active agent keys and connected clients: revoke one first`,
        );
      const keyId = await store.insertKey(tx, { ...key, siteId, createdBy: caller.userId });
      const created = {
        name,
        userId,
        ...(clientId !== undefined && { clientId }),
        entryTypeIds,
        callsPerDay,
        expiresInDays: days,
      };
      record({
        action: 'agent-key.create',
        subject: ['agent-key', keyId, name],
        changes: Object.fromEntries(
          Object.entries(created).map(([property, value]) => [property, [null, value]]),
        ),
      });
      return keyId;
    },
    { lockSite: true },
  );
}

function createKeySecret(): { plain: string; hash: Buffer } {
  const plain = `${SECRET_PREFIX}${createSecret().plain}`;
  return { plain, hash: hashSecret(plain) };
}

/** @throws ApiError 400 with all errors */
export async function requireValidKey(
  db: Db,
  siteId: number,
  name: string,
  entryTypeIds: readonly number[] | null,
): Promise<void> {
  const errors: FieldError[] = name === '' ? [{ path: 'name', message: 'must not be empty' }] : [];
  if (entryTypeIds) {
    const { typesById } = await loadSchema(db, siteId);
    for (const [index, id] of entryTypeIds.entries())
      if (!typesById.has(id))
        errors.push({ path: `entryTypeIds.${index}`, message: `Entry type ${id} does not exist` });
  }
  if (errors.length > 0) throw badRequest(errors);
}
