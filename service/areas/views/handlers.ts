import type { SavedView } from '../../../contract/generated/types.gen.ts';
import { conflict, forbidden, badRequest, notFound } from '../../kernel/api-error.ts';
import { diffProperties, getActor, change, type Recorder } from '../../kernel/audit/change.ts';
import { getAuthor, type Caller } from '../../kernel/auth/caller.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { noContent, ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { formatEtag, requireVersion } from '../../kernel/http/parameters.ts';
import { findEntryType, loadSchema } from '../schema/index.ts';
import type { StoredView, ViewContent } from './views.store.ts';
import * as store from './views.store.ts';

/** Maximum number of views per user and entry type. */
const MAX_VIEWS_PER_TYPE = 200;
/** Maximum length of a view's columns as JSON, in characters. */
const MAX_COLUMNS_LENGTH = 65_536;

type Operations = 'listViews' | 'createView' | 'getView' | 'updateView' | 'deleteView';
type ViewCall = Call<'getView'> | Call<'updateView'> | Call<'deleteView'>;

export const viewHandlers: Handlers<Operations> = {
  async listViews({ db, caller, params }) {
    return ok(
      (await store.listViews(db, await resolveScope(db, caller, params.entryTypeId))).map(toSavedView),
    );
  },

  async createView(call) {
    const view = await change(call.db, getActor(call), (tx, record) => createView(tx, call, record));
    return ok(toSavedView(view), { etag: formatEtag(view.version) });
  },

  async getView(call) {
    const { view } = await loadView(call.db, call);
    return ok(toSavedView(view), { etag: formatEtag(view.version) });
  },

  async updateView(call) {
    const view = await change(call.db, getActor(call), (tx, record) => updateView(tx, call, record));
    return ok(toSavedView(view), { etag: formatEtag(view.version) });
  },

  async deleteView(call) {
    await change(call.db, getActor(call), async (tx, record) => {
      const { view } = await loadView(tx, call, { lock: true });
      requireOwnOrSchema(call.caller, view);
      requireVersion(call.ifMatch, view.version, `The view ${view.name}`);
      await store.deleteView(tx, call.caller.siteId, view.id);
      record({
        action: 'view.delete',
        subject: ['view', view.id],
        changes: diffProperties({ entryType: view.typeId, ...toViewContent(view) }, undefined),
      });
    });
    return noContent;
  },
};

const toSavedView = ({ typeId, version, createdDate, modifiedDate, ...view }: StoredView): SavedView => ({
  ...view,
  entryTypeId: typeId,
  etag: formatEtag(version),
  createdDate: createdDate.toISOString(),
  modifiedDate: modifiedDate.toISOString(),
});

const toViewContent = ({ name, isShared, search, query, sort, columns }: ViewContent): ViewContent => ({
  name,
  isShared,
  search,
  query,
  sort,
  columns,
});

/** The entry type and the user whose views are meant; while acting, that of the principal. */
async function resolveScope(db: Db, caller: Caller, entryTypeId: string) {
  const type = findEntryType(await loadSchema(db, caller.siteId), entryTypeId);
  if (!type) throw notFound(`Entry type ${entryTypeId}`);
  return { siteId: caller.siteId, typeId: type.id, userId: getAuthor(caller).userId };
}

/** The view named by the request. Private views of other users do not exist for the caller. @throws ApiError 404 */
async function loadView(db: Db, { caller, params }: ViewCall, options?: { lock: boolean }) {
  const scope = await resolveScope(db, caller, params.entryTypeId);
  const view = await store.getView(db, scope, params.viewId, options);
  if (!view) throw notFound(`View ${params.viewId}`);
  return { place: scope, view };
}

/** A shared view appears in every user's list, so sharing requires the right to change shared data or schema. */
function requireMayShare({ capabilities }: Caller): void {
  if (!capabilities.has('Write Data') && !capabilities.has('Manage Schema'))
    throw forbidden('To share a view you need the capability Write Data or Manage Schema');
}

function requireOwnOrSchema(caller: Caller, { ownerId, name }: StoredView): void {
  if (ownerId !== getAuthor(caller).userId && !caller.capabilities.has('Manage Schema'))
    throw forbidden(`To change ${name}, which another user shares, you need the capability Manage Schema`);
}

function validateContent({ name, columns }: ViewContent): void {
  const errors = [
    ...(name === '' ? [{ path: 'name', message: 'must not be empty' }] : []),
    ...(JSON.stringify(columns).length > MAX_COLUMNS_LENGTH
      ? [{ path: 'columns', message: `must have at most ${MAX_COLUMNS_LENGTH} characters as JSON` }]
      : []),
  ];
  if (errors.length > 0) throw badRequest(errors);
}

const viewNameTaken = (name: string) =>
  conflict(`A view named ${name} already exists`, [{ path: 'name', message: 'is the name of another view' }]);

async function createView(tx: Tx, { caller, params, body }: Call<'createView'>, record: Recorder) {
  const scope = await resolveScope(tx, caller, params.entryTypeId);
  const content = toViewContent({ ...body, name: body.name.trim(), isShared: body.isShared ?? false });
  validateContent(content);
  if (content.isShared) requireMayShare(caller);
  if ((await store.countOwnViews(tx, scope)) >= MAX_VIEWS_PER_TYPE)
    throw conflict(
      `You have ${MAX_VIEWS_PER_TYPE} views of this entry type. Delete one that is no longer needed.`,
    );
  const id = await store.insertView(tx, scope, content);
  if (id === undefined) throw viewNameTaken(content.name);
  record({
    action: 'view.create',
    subject: ['view', id],
    changes: diffProperties(undefined, { entryType: scope.typeId, ...content }),
  });
  return readView(tx, scope, id);
}

async function updateView(tx: Tx, call: Call<'updateView'>, record: Recorder): Promise<StoredView> {
  const { caller, body } = call;
  const { place, view } = await loadView(tx, call, { lock: true });
  requireOwnOrSchema(caller, view);
  requireVersion(call.ifMatch, view.version, `The view ${view.name}`);
  const content = toViewContent({ ...view, ...body, name: body.name?.trim() ?? view.name });
  validateContent(content);
  if (content.isShared && !view.isShared) requireMayShare(caller);
  const changes = diffProperties(toViewContent(view), content);
  if (Object.keys(changes).length === 0) return view;
  if (!(await store.updateView(tx, place.siteId, view.id, content))) throw viewNameTaken(content.name);
  record({ action: 'view.update', subject: ['view', view.id], changes });
  // A view that an administrator makes private again is no longer visible to that administrator, so it cannot be read
  // back.
  return { ...view, ...content, version: view.version + 1, modifiedDate: new Date() };
}

async function readView(tx: Tx, place: Parameters<typeof store.getView>[1], id: number): Promise<StoredView> {
  const view = await store.getView(tx, place, id);
  if (!view) throw new Error('The inserted view does not exist');
  return view;
}
