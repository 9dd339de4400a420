import { keepPreviousData, useQuery, useQueries } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { GitMerge } from 'lucide-react';
import { useMemo, useState, useDeferredValue } from 'react';
import type { RowVm, StoreRequestVm } from '../../../../contract/generated/types.gen.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { mergeEntries, updateEntries } from '../../../api/generated/sdk/entry-writes.gen.ts';
import {
  hasAnyCapability,
  formatMissingCapabilities,
  usePermission,
  useSession,
} from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { pluralize, formatNumber } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { toast } from '../../../ui/toast.ts';
import { formatPlainValue } from '../history/differences.ts';
import { compareFields, buildMergeRequests } from '../merge/merge-plan.ts';
import type { ValueChoice } from '../merge/merge-plan.ts';
import { parseMergeView, formatMergeView, MAX_MERGE_ENTRIES } from '../merge/merge-view.ts';
import type { MergeView } from '../merge/merge-view.ts';
import { MergeTable } from '../merge/MergeTable.tsx';
import { queryRows } from '../model/entry-rows.ts';
import { getReferencingFields } from '../model/field-usage.ts';
import type { Field, Schema } from '../model/schema.ts';
import { useEntryType } from '../model/use-entry-type.ts';
import { getValue } from '../model/values.ts';
import './entries.css';

const route = getRouteApi('/_app/entries/$type/merge');

/** Page that merges duplicates: selects the entry that stays and its values, and shows the consequences. */
export function MergePage() {
  const { allowed, reason } = usePermission('mergeEntries');
  const session = useSession();
  if (!allowed) throw new ServiceError(403, reason);
  // Merging deletes entries, so it requires both capabilities.
  if (!hasAnyCapability(session, ['Delete Data']))
    throw new ServiceError(403, formatMissingCapabilities(['Delete Data']));
  return <MergeContent />;
}

function useMergeView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = useMemo(() => parseMergeView(search), [search]);
  const show = (next: MergeView) => navigate({ to: '.', search: formatMergeView(next), resetScroll: false });
  return { view, show, navigate };
}

function MergeContent() {
  const { schema, type, fields } = useEntryType();
  const { view, show } = useMergeView();
  const { ids } = view;
  const key = fields.find(({ isKey }) => isKey);
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: [{ _id: 'queryRowsByBody', typeId: type.id, merge: ids }],
    queryFn: ({ signal }) =>
      queryRows(type.id, { query: { EntryId: { $in: [...ids] } }, limit: ids.length }, signal),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  });
  const rows = ids.flatMap((id) => data?.rows.find(({ EntryId }) => EntryId === id) ?? []);
  const formatName = (row: RowVm) =>
    (key && formatPlainValue(getValue(row, key), key).trim()) || `Entry ${row.EntryId}`;
  const [first] = rows;
  const failure = error === null ? undefined : toServiceError(error);
  return (
    <Page
      breadcrumbs={<Breadcrumbs />}
      title={`Merge ${type.pluralName}`}
      meta={ids.length > 0 && pluralize(ids.length, 'entry', 'entries')}
    >
      {failure && (
        <ErrorState
          title="The entries could not be loaded"
          onRetry={() => void refetch()}
          retrying={isFetching}
          requestId={failure.requestId}
        >
          {failure.message}
        </ErrorState>
      )}
      {!failure && ids.length > 0 && !data && <SkeletonRows rows={8} />}
      {data && rows.length < ids.length && !isFetching && (
        <Banner tone="warn" title="Some of these entries do not exist">
          {pluralize(ids.length - rows.length, 'entry was', 'entries were')} deleted or merged, or belong to
          another type. Only the others are displayed.
        </Banner>
      )}
      {rows.length > 1 && <MergeForm {...{ rows, view, formatName, schema, type, fields }} />}
      {key && (
        <Card title={rows.length > 1 ? 'Add another duplicate' : 'Choose the duplicates'}>
          <CardBody>
            {ids.length === 0 && (
              <p className="mg-hint">
                Find two or more {type.pluralName} that are the same. Then choose which one stays and which
                values it gets; the others are merged into it.
              </p>
            )}
            {first && rows.length === 1 && (
              <p className="mg-hint">
                Which entries are duplicates of <bdi>{formatName(first)}</bdi> (id {first.EntryId})?
              </p>
            )}
            <AddEntry
              key={first?.EntryId ?? 0}
              typeId={type.id}
              pluralName={type.pluralName}
              nameField={key}
              initialSearch={first ? (formatName(first).split(' ')[0] ?? '') : ''}
              ids={ids}
              formatName={formatName}
              onAdd={(id) => void show({ ...view, ids: [...ids, id] })}
            />
          </CardBody>
        </Card>
      )}
    </Page>
  );
}

interface MergeFormProps extends Pick<ReturnType<typeof useEntryType>, 'schema' | 'type' | 'fields'> {
  rows: readonly RowVm[];
  view: MergeView;
  formatName: (row: RowVm) => string;
}

function MergeForm({ rows, view, formatName, schema, type, fields }: MergeFormProps) {
  const { show, navigate } = useMergeView();
  const [choices, setChoices] = useState<ReadonlyMap<number, ValueChoice>>(new Map());
  const { run, isWritten } = useMerge();
  const target = rows.find(({ EntryId }) => EntryId === view.targetId) ?? rows[0];
  if (!target) return null;
  const mergedRows = rows.filter((row) => row !== target);
  const { selectableFields, fixedFields, equalCount } = compareFields(rows, fields);
  const requests = buildMergeRequests(selectableFields, choices, target, rows);
  const targetName = formatName(target);
  const mergedCount = pluralize(mergedRows.length, 'entry', 'entries');
  const merge = async () => {
    const isDone = await confirmIrreversible({
      title: `Merge ${mergedCount} into ${targetName}?`,
      irreversible: `A merge cannot be undone: ${mergedRows.map(formatName).join(', ')} will be deleted. Only their history remains.`,
      breaks: `Links and programs that use ${mergedRows.length === 1 ? 'its id' : 'their ids'}. References to ${mergedRows.length === 1 ? 'it' : 'them'} will point to ${targetName}, and ${
        requests.length === 0
          ? 'its values stay as they are'
          : `${pluralize(requests.length, 'value', 'values')} of it will be replaced first`
      }.`,
      affects: `Everyone who works with ${type.pluralName}, and programs that read them.`,
      action: `Merge ${mergedCount}`,
      expectedText: String(target.EntryId),
      run: () => run({ typeId: type.id, target, mergedRows, requests }),
    });
    if (!isDone) return;
    toast({
      title: `${pluralize(mergedRows.length, 'entry was', 'entries were')} merged into ${targetName}`,
    });
    void navigate({
      to: '/entries/$type/$entryId',
      params: { type: type.apiName, entryId: target.EntryId },
      search: {},
    });
  };
  return (
    <>
      {isWritten && (
        <Banner tone="warn" title="The values are saved, but the merge failed">
          Nothing is lost. The selected values are in {targetName}; you can try to merge again.
        </Banner>
      )}
      <Card title="Side by side">
        <MergeTable
          {...{ rows, target, formatName, selectableFields, fixedFields, choices }}
          onTargetChange={(id) => {
            setChoices(new Map());
            void show({ ...view, targetId: id });
          }}
          onChoiceChange={(field, choice) => setChoices(new Map(choices).set(field.id, choice))}
          onRemove={(id) => void show({ ...view, ids: view.ids.filter((other) => other !== id) })}
        />
        <p className="ent-line ent-quiet">
          {pluralize(equalCount, 'field is', 'fields are')} the same in all of them.
          {fixedFields.length > 0 &&
            ' Files and fields filled by the service are kept only from the entry that stays.'}
        </p>
      </Card>
      <Card title="Consequences">
        <CardBody>
          <div className="mg-consequences">
            <MovedReferences {...{ schema, mergedRows, targetName }} typeId={type.id} />
            <p>
              {requests.length === 0
                ? `The values of ${targetName} stay unchanged.`
                : `${pluralize(requests.length, 'value', 'values')} of ${targetName} will be replaced.`}{' '}
              {mergedCount} will be deleted permanently; the history and the last values stay readable.
            </p>
            <Button icon={GitMerge} variant="danger" onClick={() => void merge()}>
              Merge {mergedCount} into {targetName}
            </Button>
          </div>
        </CardBody>
      </Card>
    </>
  );
}

/** Query options of the number of entries whose field refers to any of the ids. */
const referenceCountQuery = (field: Field, ids: readonly number[]) => ({
  queryKey: [{ _id: 'queryRowsByBody', referring: field.id, ids }],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (
      await queryRows(
        field.entryTypeId,
        { query: { [field.apiName]: { $in: [...ids] } }, fields: ['EntryId'], limit: 1 },
        signal,
      )
    ).totalRecords,
});

interface MovedReferencesProps {
  schema: Schema;
  typeId: number;
  mergedRows: readonly RowVm[];
  targetName: string;
}

/** References to the merged entries, which the merge moves to the target. */
function MovedReferences({ schema, typeId, mergedRows, targetName }: MovedReferencesProps) {
  const ids = mergedRows.map(({ EntryId }) => EntryId);
  const referenceFields = ids.length === 0 ? [] : getReferencingFields(typeId, schema);
  const results = useQueries({ queries: referenceFields.map((field) => referenceCountQuery(field, ids)) });
  const failure = results.find(({ error }) => error !== null)?.error;
  if (failure) return <p className="field-error">{toServiceError(failure).message}</p>;
  if (results.some(({ isPending }) => isPending)) return <p>Counting references…</p>;
  const counts = referenceFields.flatMap((field, at) => {
    const total = results[at]?.data ?? 0;
    return total > 0 ? [{ field, total }] : [];
  });
  if (counts.length === 0) return <p>Nothing refers to the merged entries.</p>;
  return (
    <>
      <p>
        {pluralize(
          counts.reduce((sum, { total }) => sum + total, 0),
          'reference moves',
          'references move',
        )}{' '}
        to <bdi>{targetName}</bdi>:
      </p>
      <ul>
        {counts.map(({ field, total }) => (
          <li key={field.id}>
            {field.name} of {formatNumber(total)}{' '}
            {schema.typeById.get(field.entryTypeId)?.pluralName ?? 'entries'}
          </li>
        ))}
      </ul>
    </>
  );
}

interface AddEntryProps {
  typeId: number;
  pluralName: string;
  nameField: Field;
  /** Initial search text, since duplicates usually have similar names. */
  initialSearch: string;
  ids: readonly number[];
  formatName: (row: RowVm) => string;
  onAdd: (entryId: number) => void;
}

const MAX_SEARCH_RESULTS = 8;

/** Searches entries by name to add them to the merge. */
function AddEntry({ typeId, pluralName, nameField, initialSearch, ids, formatName, onAdd }: AddEntryProps) {
  const [q, setQ] = useState(initialSearch);
  const searchText = useDeferredValue(q.trim());
  const { data, error } = useQuery({
    queryKey: [{ _id: 'queryRowsByBody', typeId, duplicates: searchText }],
    queryFn: ({ signal }) =>
      queryRows(
        typeId,
        {
          query: { [nameField.apiName]: { $contains: searchText } },
          fields: [nameField.apiName],
          limit: MAX_SEARCH_RESULTS + MAX_MERGE_ENTRIES,
        },
        signal,
      ),
    enabled: searchText !== '',
  });
  const matches =
    data?.rows.filter(({ EntryId }) => !ids.includes(EntryId)).slice(0, MAX_SEARCH_RESULTS) ?? [];
  const limitReason =
    ids.length >= MAX_MERGE_ENTRIES
      ? `At most ${MAX_MERGE_ENTRIES} entries can be merged at once`
      : undefined;
  return (
    <div className="mg-add">
      <SearchField
        label={`Search ${pluralName} to merge`}
        placeholder={`${nameField.name} contains`}
        value={q}
        onChange={setQ}
      />
      {error && <p className="field-error">{toServiceError(error).message}</p>}
      <ul aria-label="Entries found">
        {matches.map((row) => (
          <li key={row.EntryId}>
            <span>
              <bdi>{formatName(row)}</bdi> <span className="mg-id">id {row.EntryId}</span>
            </span>
            <Button size="small" disabledReason={limitReason} onClick={() => onAdd(row.EntryId)}>
              Add<span className="visually-hidden"> {formatName(row)}</span>
            </Button>
          </li>
        ))}
      </ul>
      {data && matches.length === 0 && <p className="ent-quiet">No other entry has this name.</p>}
    </div>
  );
}

/** A merge as displayed when the user confirmed it. */
interface MergeInput {
  typeId: number;
  target: RowVm;
  mergedRows: readonly RowVm[];
  requests: StoreRequestVm[];
}

const CONFLICT_MESSAGE =
  'One of these entries was changed by someone else. Check them again before you merge.';

/** Checks that the entries are unchanged, since a merge cannot be undone. @throws ServiceError 409 */
async function assertUnchanged({ typeId, target, mergedRows }: MergeInput): Promise<void> {
  const displayed = [target, ...mergedRows];
  const query = { EntryId: { $in: displayed.map(({ EntryId }) => EntryId) } };
  const { rows } = await queryRows(typeId, { query, limit: displayed.length });
  const byId = new Map(rows.map((row) => [row.EntryId, JSON.stringify(row)]));
  if (displayed.some((row) => byId.get(row.EntryId) !== JSON.stringify(row)))
    throw new ServiceError(409, CONFLICT_MESSAGE);
}

/**
 * Writes the selected values into the target and merges the other entries into it. The API has no operation for both;
 * the values come first, since they can be reverted and a merge cannot. If the merge fails after that, it can be
 * retried.
 */
function useMerge() {
  const [areValuesSaved, setValuesSaved] = useState(false);
  const write = useWrite('updateEntries', {
    mutationFn: ({ typeId, requests }: MergeInput) =>
      updateEntries({ path: { entryTypeId: String(typeId) }, body: { storeRequests: requests } }),
  });
  const merge = useWrite('mergeEntries', {
    mutationFn: ({ typeId, target, mergedRows }: MergeInput) =>
      mergeEntries({
        path: { entryTypeId: String(typeId) },
        body: { entryId: target.EntryId, mergeEntries: mergedRows.map(({ EntryId }) => EntryId) },
      }),
  });
  const run = async (input: MergeInput) => {
    await assertUnchanged(input);
    const hasRequests = input.requests.length > 0;
    if (hasRequests) await write.mutateAsync(input);
    try {
      await merge.mutateAsync(input);
    } catch (thrown) {
      setValuesSaved(hasRequests);
      throw thrown;
    }
  };
  return { run, isWritten: areValuesSaved };
}
