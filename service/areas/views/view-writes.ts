import { badRequest, conflict, forbidden, notFound } from '../../kernel/api-error.ts';
import { diffProperties, type Recorder } from '../../kernel/audit/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { requireVersion } from '../../kernel/http/parameters.ts';
import type { StoredView, ViewContent, ViewScope } from './views.store.ts';
import * as store from './views.store.ts';

/** Maximum number of views per user and table. */
const MAX_VIEWS = 200;
/** Maximum length of a view's columns as JSON, in characters. */
const MAX_COLUMNS_LENGTH = 65_536;

/** What the caller may do with views of a table; each text is the reason of the refusal. */
export interface ViewRights {
  shareRefusal: string | undefined;
  /** Refusal to change a view that another user shares. */
  changeOthersRefusal: string | undefined;
}

const toViewContent = ({
  name,
  isShared,
  search,
  query,
  sort,
  columns,
  pinned,
}: ViewContent): ViewContent => ({
  name,
  isShared,
  search,
  query,
  sort,
  columns,
  pinned,
});

/** The part of audit rows that says to which table a view belongs. */
const describeScope = (scope: ViewScope) =>
  'typeId' in scope ? { entryType: scope.typeId } : { table: scope.tableName };

function requireMayShare({ shareRefusal }: ViewRights): void {
  if (shareRefusal !== undefined) throw forbidden(shareRefusal);
}

function requireMayChange({ ownerId, name }: StoredView, { userId }: ViewScope, rights: ViewRights): void {
  if (ownerId !== userId && rights.changeOthersRefusal !== undefined)
    throw forbidden(`To change ${name}, which another user shares, ${rights.changeOthersRefusal}`);
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

/** The view with this id. Private views of other users do not exist for the caller. @throws ApiError 404 */
export async function requireView(
  tx: Parameters<typeof store.getView>[0],
  scope: ViewScope,
  viewId: number,
  options?: { lock: boolean },
): Promise<StoredView> {
  const view = await store.getView(tx, scope, viewId, options);
  if (!view) throw notFound(`View ${viewId}`);
  return view;
}

/** Creates a view of the caller and records it. @throws ApiError */
export async function createView(
  tx: Tx,
  scope: ViewScope,
  input: ViewContent,
  { rights, record }: { rights: ViewRights; record: Recorder },
): Promise<StoredView> {
  const content = toViewContent({ ...input, name: input.name.trim() });
  validateContent(content);
  if (content.isShared) requireMayShare(rights);
  if ((await store.countOwnViews(tx, scope)) >= MAX_VIEWS)
    throw conflict(
      `You have ${MAX_VIEWS} views of this ${'typeId' in scope ? 'entry type' : 'table'}. Delete one that is no longer needed.`,
    );
  const id = await store.insertView(tx, scope, content);
  if (id === undefined) throw viewNameTaken(content.name);
  record({
    action: 'view.create',
    subject: ['view', id, content.name],
    changes: diffProperties(undefined, { ...describeScope(scope), ...content }),
  });
  return requireView(tx, scope, id);
}

interface ViewUpdate {
  viewId: number;
  ifMatch: string | undefined;
  /** Omitted properties keep their value. */
  input: Partial<ViewContent>;
}

/** Changes a view and records it. @throws ApiError */
export async function updateView(
  tx: Tx,
  scope: ViewScope,
  { viewId, ifMatch, input }: ViewUpdate,
  { rights, record }: { rights: ViewRights; record: Recorder },
): Promise<StoredView> {
  const view = await requireView(tx, scope, viewId, { lock: true });
  requireMayChange(view, scope, rights);
  requireVersion(ifMatch, view.version, `the view ${view.name}`);
  const content = toViewContent({ ...view, ...input, name: input.name?.trim() ?? view.name });
  validateContent(content);
  if (content.isShared && !view.isShared) requireMayShare(rights);
  const changes = diffProperties(toViewContent(view), content);
  if (Object.keys(changes).length === 0) return view;
  if (!(await store.updateView(tx, scope.siteId, view.id, content))) throw viewNameTaken(content.name);
  record({ action: 'view.update', subject: ['view', view.id, content.name], changes });
  // A view that an administrator makes private again is no longer visible to that administrator, so it cannot be read
  // back.
  return { ...view, ...content, version: view.version + 1, modifiedDate: new Date() };
}

/** Deletes a view and records it. @throws ApiError */
export async function deleteView(
  tx: Tx,
  scope: ViewScope,
  { viewId, ifMatch }: Pick<ViewUpdate, 'viewId' | 'ifMatch'>,
  { rights, record }: { rights: ViewRights; record: Recorder },
): Promise<void> {
  const view = await requireView(tx, scope, viewId, { lock: true });
  requireMayChange(view, scope, rights);
  requireVersion(ifMatch, view.version, `the view ${view.name}`);
  await store.deleteView(tx, scope.siteId, view.id);
  record({
    action: 'view.delete',
    subject: ['view', view.id, view.name],
    changes: diffProperties({ ...describeScope(scope), ...toViewContent(view) }, undefined),
  });
}
