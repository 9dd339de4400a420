import type { SavedView } from '../../../contract/generated/types.gen.ts';
import { notFound } from '../../kernel/api-error.ts';
import { change, getActor } from '../../kernel/audit/change.ts';
import { getAuthor, type Caller } from '../../kernel/auth/caller.ts';
import type { Db } from '../../kernel/db/database.ts';
import { noContent, ok, type Handlers } from '../../kernel/http/handler.ts';
import { formatEtag } from '../../kernel/http/parameters.ts';
import { findEntryType, loadSchema } from '../schema/index.ts';
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
      const scope = await resolveScope(tx, caller, params.entryTypeId);
      const view = await createView(
        tx,
        scope,
        { ...body, isShared: body.isShared ?? false },
        { rights: getRights(caller), record },
      );
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
      const scope = await resolveScope(tx, caller, params.entryTypeId);
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
  { typeId: _typeId, version, createdDate, modifiedDate, ...view }: store.StoredView,
  entryTypeId: number,
): SavedView => ({
  ...view,
  entryTypeId,
  etag: formatEtag(version),
  createdDate: createdDate.toISOString(),
  modifiedDate: modifiedDate.toISOString(),
});

/** The entry type and the user whose views are meant; while acting, that of the principal. */
async function resolveScope(db: Db, caller: Caller, entryTypeId: string) {
  const type = findEntryType(await loadSchema(db, caller.siteId), entryTypeId);
  if (!type) throw notFound(`Entry type ${entryTypeId}`);
  return { siteId: caller.siteId, typeId: type.id, userId: getAuthor(caller).userId };
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
