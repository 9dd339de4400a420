/** Settings of the agent server of a site, and its address. */
import type { AgentSettings } from '../../../../contract/generated/types.gen.ts';
import { change, getActor } from '../../../kernel/audit/change.ts';
import { type Call, type Handlers, ok } from '../../../kernel/http/handler.ts';
import { countLastDay } from '../ledger.store.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { toolInfos } from '../tools/tools.ts';
import { loadForbidden } from './forbidden.ts';
import { LASTING_STATES, listKeys, revokeKeys } from './keys.store.ts';
import { getVisibleOwner } from './keys.ts';
import { requireLicensed } from './require-usable.ts';
import { findAgentSite, setAgentServerEnabled } from './settings.store.ts';

/** Path of the agent server. */
export const AGENT_PATH = '/api/agent/mcp';
/** Revisions that are answered, newest first. */
const PROTOCOL_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const;

export const agentSettingsHandlers: Handlers<'getAgentSettings' | 'updateAgentSettings' | 'stopAgents'> = {
  getAgentSettings: async (call) => ok(await loadSettings(call)),

  async updateAgentSettings(call) {
    const { siteId, userId } = call.caller;
    const { isEnabled } = call.body;
    requireLicensed(await findAgentSite(call.db, siteId));
    await change(call.db, getActor(call), async (tx, record) => {
      if (!(await setAgentServerEnabled(tx, siteId, { isEnabled, userId }))) return;
      record({
        action: isEnabled ? 'agents.enable' : 'agents.disable',
        subject: ['agent-server', siteId],
        changes: { isEnabled: [!isEnabled, isEnabled] },
      });
    });
    return ok(await loadSettings(call));
  },

  async stopAgents(call) {
    const { siteId, userId } = call.caller;
    const revoked = await change(call.db, getActor(call), async (tx, record) => {
      await setAgentServerEnabled(tx, siteId, { isEnabled: false, userId });
      const keys = await revokeKeys(tx, { siteId }, userId);
      for (const { id, name, userId: ownerId } of keys)
        record({
          action: 'agent-key.revoke',
          subject: ['agent-key', id, name],
          changes: { name: [name, null], userId: [ownerId, null] },
        });
      record({
        action: 'agents.stop',
        subject: ['agent-server', siteId],
        changes: { isEnabled: [null, false], revokedKeys: [null, keys.length] },
      });
      return keys;
    });
    return ok({ revokedKeys: revoked.length });
  },
};

async function loadSettings({
  db,
  caller,
  services,
}: Pick<Call, 'db' | 'caller' | 'services'>): Promise<AgentSettings> {
  const { siteId } = caller;
  const userId = getVisibleOwner(caller);
  const site = await findAgentSite(db, siteId);
  const { isLicensed, isEnabled, changedAt, changedBy } = site;
  const activeKeys = await listKeys(db, { siteId, userId, states: LASTING_STATES });
  return {
    isLicensed,
    isEnabled,
    changedDate: changedAt?.toISOString() ?? null,
    changedBy,
    address: `${services.publicUrl}${AGENT_PATH}`,
    protocolVersions: [...PROTOCOL_VERSIONS],
    limits: AGENT_LIMITS,
    tools: toolInfos,
    forbidden: await loadForbidden(db, siteId, site),
    activeKeys: activeKeys.length,
    ...(await countLastDay(db, siteId, userId)),
  };
}
