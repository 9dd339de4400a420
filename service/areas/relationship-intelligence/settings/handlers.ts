import type {
  Exclusion,
  RelationshipSettings,
  RelationshipSettingsInfo,
} from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { badRequest, conflict, type FieldError, notFound } from '../../../kernel/api-error.ts';
import { change, diffProperties, getActor } from '../../../kernel/audit/change.ts';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import { type Handlers, noContent, ok } from '../../../kernel/http/handler.ts';
import { formatEtag, parsePage, requireVersion } from '../../../kernel/http/parameters.ts';
import { getListedItems, startJob, toUserItems } from '../../jobs/index.ts';
import { findEntryType, loadSchema } from '../../schema/index.ts';
import { getSite } from '../../sites/index.ts';
import * as erasures from './erasure.store.ts';
import * as exclusions from './exclusions.store.ts';
import {
  countEnabledUsers,
  loadSettings,
  lockSettings,
  type StoredSettings,
  updateSettings,
} from './settings.store.ts';
import * as users from './users.store.ts';

type Operations =
  | 'getRelationshipSettings'
  | 'updateRelationshipSettings'
  | 'listRelationshipUsers'
  | 'startRelationshipUserChanges'
  | 'getImportActivity'
  | 'completeHistory'
  | 'listExclusions'
  | 'createExclusion'
  | 'deleteExclusion'
  | 'listErasures'
  | 'createErasure';

async function readSettings(
  db: Db | Tx,
  siteId: number,
): Promise<{ body: RelationshipSettings; etag: string }> {
  const [stored, counts] = [await loadSettings(db, siteId), await countEnabledUsers(db, siteId)];
  const { version, modifiedDate, contactEntryTypeId, contactEmailFieldId, ...settings } = stored;
  return {
    body: {
      connectionType: settings.connectionType,
      isEnabled: settings.isEnabled,
      emailRelationships: settings.emailRelationships,
      meetingRelationships: settings.meetingRelationships,
      collectRelationshipData: settings.collectRelationshipData,
      automatedContactCreation: settings.automatedContactCreation,
      contacts:
        contactEntryTypeId !== null && contactEmailFieldId !== null
          ? { entryTypeId: contactEntryTypeId, emailFieldId: contactEmailFieldId }
          : null,
      historicalSyncPeriodDays: settings.historicalSyncPeriodDays,
      retentionDays: settings.retentionDays,
      internalDomains: settings.internalDomains,
      enabledUserCount: counts.enabled,
      completedUserCount: counts.completed,
      modifiedDate: modifiedDate?.toISOString() ?? null,
    },
    etag: formatEtag(version),
  };
}

/** The settings after a change; domains in lower case, each once. */
function applyInfo(before: StoredSettings, info: RelationshipSettingsInfo): StoredSettings {
  const { contacts, internalDomains, ...rest } = info;
  return {
    ...before,
    ...rest,
    ...(contacts !== undefined && {
      contactEntryTypeId: contacts?.entryTypeId ?? null,
      contactEmailFieldId: contacts?.emailFieldId ?? null,
    }),
    ...(internalDomains && {
      internalDomains: [...new Set(internalDomains.map((domain) => domain.toLowerCase()))].toSorted(),
    }),
  };
}

/** Errors of settings that contradict each other or the schema of the site. */
async function findErrors(tx: Tx, siteId: number, settings: StoredSettings): Promise<FieldError[]> {
  const { contactEntryTypeId: typeId, contactEmailFieldId: fieldId, automatedContactCreation } = settings;
  if (typeId === null || fieldId === null)
    return automatedContactCreation
      ? [{ path: 'contacts', message: 'is required for automated contact creation' }]
      : [];
  const type = findEntryType(await loadSchema(tx, siteId), String(typeId));
  if (!type)
    return [{ path: 'contacts.entryTypeId', message: `entry type ${typeId} does not exist on this site` }];
  const field = type.fields.find(({ id }) => id === fieldId);
  if (field?.fieldType !== FIELD.text || field.isCalculated)
    return [
      { path: 'contacts.emailFieldId', message: `must be the id of a text field of ${type.pluralName}` },
    ];
  const required = type.fields.filter(
    ({ id, isKey, isRequired, isStoreRequestSupported }) =>
      isRequired && isStoreRequestSupported && !isKey && id !== fieldId,
  );
  if (automatedContactCreation && required.length > 0)
    return [
      {
        path: 'contacts.entryTypeId',
        message: `${type.pluralName} require more than a name and an address: ${required.map(({ name }) => name).join(', ')}`,
      },
    ];
  return [];
}

const toExclusion = ({ createdDate, ...exclusion }: exclusions.StoredExclusion): Exclusion => ({
  ...exclusion,
  isDomain: !exclusion.value.includes('@'),
  createdDate: createdDate.toISOString(),
});

export const settingsHandlers: Handlers<Operations> = {
  async getRelationshipSettings({ db, caller }) {
    const { body, etag } = await readSettings(db, caller.siteId);
    return ok(body, { etag });
  },

  async updateRelationshipSettings(call) {
    const { siteId, userId } = call.caller;
    const stored = await change(call.db, getActor(call), async (tx, record) => {
      const locked = await lockSettings(tx, siteId);
      requireVersion(call.ifMatch, locked.version, 'the settings of Relationship Intelligence');
      const after = applyInfo(locked, call.body);
      const errors = await findErrors(tx, siteId, after);
      if (errors.length > 0) throw badRequest(errors);
      const changes = diffProperties(locked, after);
      if (Object.keys(changes).length > 0) {
        await updateSettings(tx, siteId, userId, after);
        record({ action: 'relationships.settings', subject: ['relationships', siteId], changes });
      }
      return readSettings(tx, siteId);
    });
    return ok(stored.body, { etag: stored.etag });
  },

  async listRelationshipUsers({ db, caller, query }) {
    return ok(await users.listUsers(db, caller.siteId, query, parsePage(query)));
  },

  async startRelationshipUserChanges(call) {
    const items = getListedItems(call.body, 'userIds');
    const { isEnabled } = call.body;
    return startJob(call, {
      kind: 'relationships.enable',
      parameters: { isEnabled },
      items: items && toUserItems(items),
    });
  },

  async getImportActivity({ db, caller, query }) {
    const { timeZone } = await getSite(db, caller.siteId);
    return ok(await users.listActivity(db, caller.siteId, { ...query, timeZone }));
  },

  async completeHistory(call) {
    const { siteId } = call.caller;
    const completed = await change(call.db, getActor(call), async (tx, record) => {
      const ids = await users.completeHistory(tx, siteId, call.body.userIds);
      for (const id of ids)
        record({
          action: 'user.relationships',
          subject: ['user', id],
          changes: { history: [null, 'complete'] },
        });
      return ids.length;
    });
    return ok({ completed });
  },

  async listExclusions({ db, caller }) {
    return ok((await exclusions.listExclusions(db, caller.siteId)).map(toExclusion));
  },

  async createExclusion(call) {
    const { siteId, userId } = call.caller;
    const value = call.body.value.toLowerCase();
    const created = await change(call.db, getActor(call), async (tx, record) => {
      const id = await exclusions.insertExclusion(tx, {
        siteId,
        userId,
        value,
        note: call.body.note ?? null,
      });
      if (id === undefined) throw conflict(`${value} is excluded already`);
      record({
        action: 'relationships.exclude',
        subject: ['relationships', id],
        changes: { isDomain: [null, !value.includes('@')] },
      });
      return (await exclusions.listExclusions(tx, siteId)).find((each) => each.id === id);
    });
    if (!created) throw new Error('The exclusion was not stored');
    return ok(toExclusion(created));
  },

  async deleteExclusion(call) {
    const { siteId } = call.caller;
    const { exclusionId } = call.params;
    await change(call.db, getActor(call), async (tx, record) => {
      if (!(await exclusions.deleteExclusion(tx, siteId, exclusionId)))
        throw notFound(`Exclusion ${exclusionId}`);
      record({ action: 'relationships.include', subject: ['relationships', exclusionId], changes: {} });
    });
    return noContent;
  },

  async listErasures({ db, caller }) {
    return ok(await erasures.listErasures(db, caller.siteId));
  },

  async createErasure(call) {
    const { siteId, userId } = call.caller;
    const address = call.body.address.toLowerCase();
    const erasure = await change(call.db, getActor(call), async (tx, record) => {
      // Imports of the site wait until the address is gone, or end before.
      await lockSettings(tx, siteId);
      const id = await erasures.eraseAddress(tx, { siteId, userId }, address);
      const stored = (await erasures.listErasures(tx, siteId)).find((each) => each.id === id);
      if (!stored) throw new Error('The erasure was not stored');
      const { addressSha256, changedItems, removedItems, removedRelationships } = stored;
      record({
        action: 'relationships.erase',
        subject: ['relationships', id],
        changes: {
          addressSha256: [null, addressSha256],
          changedItems: [null, changedItems],
          removedItems: [null, removedItems],
          removedRelationships: [null, removedRelationships],
        },
      });
      return stored;
    });
    return ok(erasure);
  },
};
