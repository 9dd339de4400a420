import type {
  Capability,
  TableName,
  TableView,
  TableViewChange,
} from '../../../contract/generated/types.gen.ts';
import { TABLE_VIEW_CAPABILITIES } from '../../../contract/rules/table-views.ts';
import { forbidden } from '../../kernel/api-error.ts';
import { change, getActor } from '../../kernel/audit/change.ts';
import { getAuthor, type Caller } from '../../kernel/auth/caller.ts';
import type { Db } from '../../kernel/db/database.ts';
import { noContent, ok, type Handlers } from '../../kernel/http/handler.ts';
import { formatEtag } from '../../kernel/http/parameters.ts';
import { createView, deleteView, requireView, updateView, type ViewRights } from './view-writes.ts';
import type { StoredView, ViewContent } from './views.store.ts';
import * as store from './views.store.ts';

type Operations =
  | 'listTableViews'
  | 'createTableView'
  | 'updateTableView'
  | 'deleteTableView'
  | 'setDefaultTableView';

/** Saved views of the tables of the console other than entries. */
export const tableViewHandlers: Handlers<Operations> = {
  async listTableViews({ db, caller, params }) {
    const scope = getScope(caller, params.table);
    const [defaultId, views] = await Promise.all([
      store.getDefaultViewId(db, scope),
      store.listViews(db, scope),
    ]);
    return ok(views.map((view) => toTableView(view, defaultId)));
  },

  async createTableView(call) {
    const { body, caller, params } = call;
    return change(call.db, getActor(call), async (tx, record) => {
      const scope = getScope(caller, params.table);
      const input = {
        name: body.name,
        isShared: body.isShared ?? false,
        search: '',
        query: body.address,
        sort: '',
        columns: toColumns(body.layout),
        pinned: [],
      };
      const view = await createView(tx, scope, input, { rights: getRights(caller, params.table), record });
      return respond(tx, scope, view);
    });
  },

  async updateTableView(call) {
    const { body, caller, params, ifMatch } = call;
    return change(call.db, getActor(call), async (tx, record) => {
      const scope = getScope(caller, params.table);
      const update = { viewId: params.viewId, ifMatch, input: toContentChange(body) };
      const view = await updateView(tx, scope, update, { rights: getRights(caller, params.table), record });
      return respond(tx, scope, view);
    });
  },

  async deleteTableView(call) {
    const { caller, params, ifMatch } = call;
    await change(call.db, getActor(call), async (tx, record) => {
      const rights = getRights(caller, params.table);
      await deleteView(
        tx,
        getScope(caller, params.table),
        { viewId: params.viewId, ifMatch },
        { rights, record },
      );
    });
    return noContent;
  },

  async setDefaultTableView(call) {
    const { body, caller, params } = call;
    await change(call.db, getActor(call), async (tx, record) => {
      const scope = getScope(caller, params.table);
      if (body.viewId !== null) await requireView(tx, scope, body.viewId);
      const before = (await store.getDefaultViewId(tx, scope)) ?? null;
      if (before === body.viewId) return;
      await store.setDefaultView(tx, scope, body.viewId);
      record({
        action: 'view.default',
        subject: ['view', body.viewId ?? before ?? 0],
        changes: { table: params.table, default: [before, body.viewId] },
      });
    });
    return noContent;
  },
};

/** The table and the user whose views are meant; while acting, that of the principal. @throws ApiError 403 */
function getScope(caller: Caller, tableName: TableName) {
  const { read } = TABLE_VIEW_CAPABILITIES[tableName];
  if (!read.some((capability) => caller.capabilities.has(capability)))
    throw forbidden(`To use views of ${tableName} you need ${formatAny(read)}`);
  return { siteId: caller.siteId, userId: getAuthor(caller).userId, tableName };
}

const formatAny = (capabilities: readonly Capability[]): string =>
  capabilities.length === 1
    ? `the capability ${capabilities[0]}`
    : `one of the capabilities ${capabilities.join(', ')}`;

/** A shared view appears for everyone who reads the table, so sharing requires the right to work with its rows. */
function getRights({ capabilities }: Caller, tableName: TableName): ViewRights {
  const { share } = TABLE_VIEW_CAPABILITIES[tableName];
  return {
    shareRefusal: share.some((capability) => capabilities.has(capability))
      ? undefined
      : `To share a view of ${tableName} you need ${formatAny(share)}`,
    changeOthersRefusal: capabilities.has('Manage Settings')
      ? undefined
      : 'you need the capability Manage Settings',
  };
}

/** One column is always fixed: the first names the row. */
const toColumns = (layout: TableView['layout']) => ({ ...layout, frozen: 1 });

const toContentChange = ({ address, layout, name, isShared }: TableViewChange): Partial<ViewContent> => ({
  ...(name !== undefined && { name }),
  ...(isShared !== undefined && { isShared }),
  ...(address !== undefined && { query: address }),
  ...(layout !== undefined && { columns: toColumns(layout) }),
});

function toTableView(
  { id, name, isShared, ownerId, ownerName, query, columns, version, createdDate, modifiedDate }: StoredView,
  defaultId: number | undefined,
): TableView {
  const { frozen: _, ...layout } = columns;
  return {
    id,
    name,
    isShared,
    ownerId,
    ownerName,
    address: query,
    layout,
    isDefault: id === defaultId,
    etag: formatEtag(version),
    createdDate: createdDate.toISOString(),
    modifiedDate: modifiedDate.toISOString(),
  };
}

async function respond(tx: Db, scope: ReturnType<typeof getScope>, view: StoredView) {
  const defaultId = await store.getDefaultViewId(tx, scope);
  return ok(toTableView(view, defaultId), { etag: formatEtag(view.version) });
}
