import type { PinnedFilter, SavedView } from '../../../contract/generated/types.gen.ts';
import { ENTRY_ID } from '../../../contract/rules/query/condition.ts';
import { FIELD, filterOperations } from '../../../contract/rules/schema/fields.ts';
import { badRequest, notFound } from '../../kernel/api-error.ts';
import { change, getActor } from '../../kernel/audit/change.ts';
import { getAuthor, type Caller } from '../../kernel/auth/caller.ts';
import type { Db } from '../../kernel/db/database.ts';
import { noContent, ok, type Handlers } from '../../kernel/http/handler.ts';
import { formatEtag } from '../../kernel/http/parameters.ts';
import { type EntryType, findEntryType, findField, loadSchema } from '../schema/index.ts';
import { createView, deleteView, requireView, updateView, type ViewRights } from './view-writes.ts';
import * as store from './views.store.ts';

type Operations = 'listViews' | 'createView' | 'getView' | 'updateView' | 'deleteView';

/** Saved views of the entries of a type. */
export const viewHandlers: Handlers<Operations> = {
  async listViews({ db, caller, params }) {
    const scope = await resolveScope(db, caller, params.entryTypeId);
    return ok((await store.listViews(db, scope)).map((view) => toSavedView(view, scope.typeId)));
  },

  async createView(call) {
    const { body, caller, params } = call;
    return change(call.db, getActor(call), async (tx, record) => {
      const { type, ...scope } = await resolveScope(tx, caller, params.entryTypeId);
      const input = { ...body, isShared: body.isShared ?? false, pinned: body.pinned ?? [] };
      validatePinned(type, input.pinned);
      const view = await createView(tx, scope, input, { rights: getRights(caller), record });
      return ok(toSavedView(view, scope.typeId), { etag: formatEtag(view.version) });
    });
  },

  async getView({ db, caller, params }) {
    const scope = await resolveScope(db, caller, params.entryTypeId);
    const view = await requireView(db, scope, params.viewId);
    return ok(toSavedView(view, scope.typeId), { etag: formatEtag(view.version) });
  },

  async updateView(call) {
    const { body, caller, params, ifMatch } = call;
    return change(call.db, getActor(call), async (tx, record) => {
      const { type, ...scope } = await resolveScope(tx, caller, params.entryTypeId);
      if (body.pinned) validatePinned(type, body.pinned);
      const update = { viewId: params.viewId, ifMatch, input: body };
      const view = await updateView(tx, scope, update, { rights: getRights(caller), record });
      return ok(toSavedView(view, scope.typeId), { etag: formatEtag(view.version) });
    });
  },

  async deleteView(call) {
    const { caller, params, ifMatch } = call;
    await change(call.db, getActor(call), async (tx, record) => {
      const scope = await resolveScope(tx, caller, params.entryTypeId);
      await deleteView(tx, scope, { viewId: params.viewId, ifMatch }, { rights: getRights(caller), record });
    });
    return noContent;
  },
};

const toSavedView = (
  { typeId: _typeId, version, createdDate, modifiedDate, pinned, ...view }: store.StoredView,
  entryTypeId: number,
): SavedView => ({
  ...view,
  pinned: [...pinned],
  entryTypeId,
  etag: formatEtag(version),
  createdDate: createdDate.toISOString(),
  modifiedDate: modifiedDate.toISOString(),
});

/** The entry type and the user whose views are meant; while acting, that of the principal. */
async function resolveScope(db: Db, caller: Caller, entryTypeId: string) {
  const type = findEntryType(await loadSchema(db, caller.siteId), entryTypeId);
  if (!type) throw notFound(`Entry type ${entryTypeId}`);
  return { siteId: caller.siteId, typeId: type.id, userId: getAuthor(caller).userId, type };
}

/** Throws 400 for pinned filters that no condition of the type can have, and for repeated ones. */
function validatePinned(type: EntryType, pinned: readonly PinnedFilter[]): void {
  const seen = new Set<string>();
  const errors = pinned.flatMap(({ field: name, operator }, at) => {
    const field = findField(type, name);
    const fieldType = name === ENTRY_ID ? FIELD.counter : field?.fieldType;
    if (fieldType === undefined)
      return [{ path: `pinned.${at}.field`, message: `is not a field of ${type.pluralName}` }];
    const operation = filterOperations.find(({ rowOperator }) => rowOperator === operator);
    if (!operation?.fieldTypes.includes(fieldType))
      return [{ path: `pinned.${at}.operator`, message: 'does not apply to the field' }];
    const key = `${name.toLowerCase()} ${operator}`;
    if (seen.has(key)) return [{ path: `pinned.${at}`, message: 'is pinned already' }];
    seen.add(key);
    return [];
  });
  if (errors.length > 0) throw badRequest(errors);
}

/** A shared view appears in every user's list, so sharing requires the right to change shared data or schema. */
const getRights = ({ capabilities }: Caller): ViewRights => ({
  shareRefusal:
    capabilities.has('Write Data') || capabilities.has('Manage Schema')
      ? undefined
      : 'To share a view you need the capability Write Data or Manage Schema',
  changeOthersRefusal: capabilities.has('Manage Schema')
    ? undefined
    : 'you need the capability Manage Schema',
});
