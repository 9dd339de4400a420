import type { SavedView } from '../../../contract/generated/types.gen.ts';
import { differences } from '../../kernel/audit/differences.ts';
import { authorOf, type Caller } from '../../kernel/auth/caller.ts';
import { actorOf, change, type Recorder } from '../../kernel/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { conflict, forbidden, invalid, notFound } from '../../kernel/http/errors.ts';
import { etagOf, requireVersion } from '../../kernel/http/etag.ts';
import { done, ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { findType, loadSchema } from '../schema/index.ts';
import * as store from './store.ts';
import type { StoredView, ViewContent } from './store.ts';

/** So many views of a type somebody may have: a list that people can read. */
const MOST_VIEWS = 200;
/** So long are the columns of a view at most, as JSON. */
const MOST_COLUMNS = 65_536;

type Operations = 'listViews' | 'createView' | 'getView' | 'updateView' | 'deleteView';
type ViewCall = Call<'getView'> | Call<'updateView'> | Call<'deleteView'>;

export const viewHandlers: Handlers<Operations> = {
  async listViews({ db, caller, params }) {
    return ok((await store.listViews(db, await placeOf(db, caller, params.entryTypeId))).map(shown));
  },

  async createView(call) {
    const view = await change(call.db, actorOf(call), (tx, record) => create(tx, call, record));
    return ok(shown(view), { etag: etagOf(view.version) });
  },

  async getView(call) {
    const { view } = await viewOf(call.db, call);
    return ok(shown(view), { etag: etagOf(view.version) });
  },

  async updateView(call) {
    const view = await change(call.db, actorOf(call), (tx, record) => update(tx, call, record));
    return ok(shown(view), { etag: etagOf(view.version) });
  },

  async deleteView(call) {
    await change(call.db, actorOf(call), async (tx, record) => {
      const { view } = await viewOf(tx, call, { lock: true });
      requireOwnOrSchema(call.caller, view);
      requireVersion(call.ifMatch, view.version, `The view ${view.name}`);
      await store.deleteView(tx, call.caller.siteId, view.id);
      record({
        action: 'view.delete',
        subject: ['view', view.id],
        changes: differences({ entryType: view.typeId, ...contentOf(view) }, undefined),
      });
    });
    return done;
  },
};

const shown = ({ typeId, version, createdDate, modifiedDate, ...view }: StoredView): SavedView => ({
  ...view,
  entryTypeId: typeId,
  etag: etagOf(version),
  createdDate: createdDate.toISOString(),
  modifiedDate: modifiedDate.toISOString(),
});

const contentOf = ({ name, isShared, search, query, sort, columns }: ViewContent): ViewContent => ({
  name,
  isShared,
  search,
  query,
  sort,
  columns,
});

/** Whose views of which type; while acting, those of the principal. */
async function placeOf(db: Db, caller: Caller, entryTypeId: string) {
  const type = findType(await loadSchema(db, caller.siteId), entryTypeId);
  if (!type) throw notFound(`Entry type ${entryTypeId}`);
  return { siteId: caller.siteId, typeId: type.id, userId: authorOf(caller).userId };
}

/** The view that a request names. What somebody else keeps to themselves is not there. */
async function viewOf(db: Db, { caller, params }: ViewCall, options?: { lock: boolean }) {
  const place = await placeOf(db, caller, params.entryTypeId);
  const view = await store.getView(db, place, params.viewId, options);
  if (!view) throw notFound(`View ${params.viewId}`);
  return { place, view };
}

/** A shared view stands in the list of everybody: whoever may change what everybody works with may share one. */
function requireMayShare({ capabilities }: Caller): void {
  if (!capabilities.has('Write Data') && !capabilities.has('Manage Schema'))
    throw forbidden('To share a view you need the capability Write Data or Manage Schema');
}

function requireOwnOrSchema(caller: Caller, { ownerId, name }: StoredView): void {
  if (ownerId !== authorOf(caller).userId && !caller.capabilities.has('Manage Schema'))
    throw forbidden(`To change ${name}, which somebody else shares, you need the capability Manage Schema`);
}

function requireFitting({ name, columns }: ViewContent): void {
  const faults = [
    ...(name === '' ? [{ path: 'name', message: 'must not be empty' }] : []),
    ...(JSON.stringify(columns).length > MOST_COLUMNS
      ? [{ path: 'columns', message: `must have at most ${MOST_COLUMNS} characters as JSON` }]
      : []),
  ];
  if (faults.length > 0) throw invalid(faults);
}

const nameTaken = (name: string) =>
  conflict(`A view named ${name} exists already`, [{ path: 'name', message: 'is the name of another view' }]);

async function create(tx: Tx, { caller, params, body }: Call<'createView'>, record: Recorder) {
  const place = await placeOf(tx, caller, params.entryTypeId);
  const content = contentOf({ ...body, name: body.name.trim(), isShared: body.isShared ?? false });
  requireFitting(content);
  if (content.isShared) requireMayShare(caller);
  if ((await store.countOwn(tx, place)) >= MOST_VIEWS)
    throw conflict(`You have ${MOST_VIEWS} views of this entry type. Delete one that is no longer needed.`);
  const id = await store.insertView(tx, place, content);
  if (id === undefined) throw nameTaken(content.name);
  record({
    action: 'view.create',
    subject: ['view', id],
    changes: differences(undefined, { entryType: place.typeId, ...content }),
  });
  return stored(tx, place, id);
}

async function update(tx: Tx, call: Call<'updateView'>, record: Recorder): Promise<StoredView> {
  const { caller, body } = call;
  const { place, view } = await viewOf(tx, call, { lock: true });
  requireOwnOrSchema(caller, view);
  requireVersion(call.ifMatch, view.version, `The view ${view.name}`);
  const content = contentOf({ ...view, ...body, name: body.name?.trim() ?? view.name });
  requireFitting(content);
  if (content.isShared && !view.isShared) requireMayShare(caller);
  const changes = differences(contentOf(view), content);
  if (Object.keys(changes).length === 0) return view;
  if (!(await store.setView(tx, place.siteId, view.id, content))) throw nameTaken(content.name);
  record({ action: 'view.update', subject: ['view', view.id], changes });
  // An administrator who takes a shared view back from everybody no longer sees it either.
  return { ...view, ...content, version: view.version + 1, modifiedDate: new Date() };
}

async function stored(tx: Tx, place: Parameters<typeof store.getView>[1], id: number): Promise<StoredView> {
  const view = await store.getView(tx, place, id);
  if (!view) throw new Error('An inserted view is there');
  return view;
}
