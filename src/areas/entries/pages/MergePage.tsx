import { keepPreviousData, useQuery, useQueries } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { GitMerge } from 'lucide-react';
import { useMemo, useState, useDeferredValue } from 'react';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { can, lacking, useAllowed, useSession } from '../../../api/session.ts';
import type { RowVm } from '../../../api/generated/types.gen.ts';
import { readMergeView, writeMergeView, MOST_AT_ONCE } from '../merge/merge-view.ts';
import type { MergeView } from '../merge/merge-view.ts';
import { MergeTable } from '../merge/MergeTable.tsx';
import { differingFields, requestsFor } from '../merge/plan.ts';
import type { Choice } from '../merge/plan.ts';
import { useMerge } from '../merge/use-merge.ts';
import { textOf } from '../history/differences.ts';
import { readRows } from '../model/use-rows.ts';
import { useType } from '../model/use-type.ts';
import { valueIn } from '../model/values.ts';
import { counted, count } from '../../../lib/numbers.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { passOneWayDoor } from '../../../ui/dialog/one-way-door.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { referringTo } from '../model/schema-words.ts';
import type { Field, Schema } from '../model/schema.ts';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import './entries.css';

const route = getRouteApi('/_app/entries/$type/merge');

/** Duplicates become one entry: which one stays, with whose values, and what will refer to it. */
export function MergePage() {
  const { allowed, reason } = useAllowed('mergeEntries');
  const session = useSession();
  if (!allowed) throw new ServiceError(403, reason);
  // Merging takes entries away, so it asks for both.
  if (!can(session, ['Delete Data'])) throw new ServiceError(403, lacking(['Delete Data']));
  return <Merge />;
}

function useMergeView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = useMemo(() => readMergeView(search), [search]);
  const show = (next: MergeView) => navigate({ to: '.', search: writeMergeView(next), resetScroll: false });
  return { view, show, navigate };
}

function Merge() {
  const { schema, type, fields } = useType();
  const { view, show } = useMergeView();
  const { ids } = view;
  const key = fields.find(({ isKey }) => isKey);
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: [{ _id: 'queryRowsByBody', typeId: type.id, merge: ids }],
    queryFn: ({ signal }) =>
      readRows(type.id, { query: { EntryId: { $in: [...ids] } }, limit: ids.length }, signal),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  });
  const rows = ids.flatMap((id) => data?.rows.find(({ EntryId }) => EntryId === id) ?? []);
  const nameOf = (row: RowVm) => (key && textOf(valueIn(row, key), key).trim()) || `Entry ${row.EntryId}`;
  const [first] = rows;
  const failure = error === null ? undefined : toServiceError(error);
  return (
    <Page
      breadcrumbs={<Trail />}
      title={`Merge ${type.pluralName}`}
      meta={ids.length > 0 && counted(ids.length, 'entry', 'entries')}
    >
      {failure && (
        <ErrorState
          title="The entries could not be read"
          onRetry={() => void refetch()}
          retrying={isFetching}
          requestId={failure.requestId}
        >
          {failure.message}
        </ErrorState>
      )}
      {!failure && ids.length > 0 && !data && <SkeletonRows rows={8} />}
      {data && rows.length < ids.length && !isFetching && (
        <Banner tone="warn" title="Some of these entries are not there">
          {counted(ids.length - rows.length, 'entry was', 'entries were')} deleted or merged, or of another
          type: only the others are shown.
        </Banner>
      )}
      {rows.length > 1 && (
        <SideBySide
          key={rows.map(({ EntryId }) => EntryId).join()}
          {...{ rows, view, nameOf, schema, type, fields }}
        />
      )}
      {key && (
        <Card title={rows.length > 1 ? 'Another duplicate' : 'Choose the entries that are the same'}>
          <CardBody>
            {first && rows.length === 1 && (
              <p className="mg-first">
                What is the same as <bdi>{nameOf(first)}</bdi> (id {first.EntryId})?
              </p>
            )}
            <AddEntry
              key={first?.EntryId ?? 0}
              typeId={type.id}
              pluralName={type.pluralName}
              nameField={key}
              like={first ? (nameOf(first).split(' ')[0] ?? '') : ''}
              ids={ids}
              nameOf={nameOf}
              onAdd={(id) => void show({ ...view, ids: [...ids, id] })}
            />
          </CardBody>
        </Card>
      )}
    </Page>
  );
}

interface SideBySideProps extends Pick<ReturnType<typeof useType>, 'schema' | 'type' | 'fields'> {
  rows: readonly RowVm[];
  view: MergeView;
  nameOf: (row: RowVm) => string;
}

function SideBySide({ rows, view, nameOf, schema, type, fields }: SideBySideProps) {
  const { show, navigate } = useMergeView();
  const [choices, setChoices] = useState<ReadonlyMap<number, Choice>>(new Map());
  const { run, isWritten } = useMerge();
  const stays = rows.find(({ EntryId }) => EntryId === view.stays) ?? rows[0];
  if (!stays) return null;
  const away = rows.filter((row) => row !== stays);
  const { chosen, kept, same } = differingFields(rows, fields);
  const requests = requestsFor(chosen, choices, stays, rows);
  const name = nameOf(stays);
  const going = counted(away.length, 'entry', 'entries');
  const merge = async () => {
    const done = await passOneWayDoor({
      title: `Merge ${going} into ${name}?`,
      final: `A merge cannot be undone: ${away.map(nameOf).join(', ')} will be gone. Their history stays, the entries do not come back.`,
      breaks: `Links and programs that name ${away.length === 1 ? 'its id' : 'their ids'}. What refers to ${away.length === 1 ? 'it' : 'them'} will refer to ${name}, and ${
        requests.length === 0
          ? 'its values stay as they are'
          : `${counted(requests.length, 'value', 'values')} of it will be replaced first`
      }.`,
      affects: `Whoever works with ${type.pluralName} here, and programs that read them.`,
      action: `Merge ${going}`,
      typed: String(stays.EntryId),
      run: () => run({ typeId: type.id, stays, away, requests }),
    });
    if (!done) return;
    toast({ title: `${going} went into ${name}` });
    void navigate({
      to: '/entries/$type/$entryId',
      params: { type: type.apiName, entryId: stays.EntryId },
      search: {},
    });
  };
  return (
    <>
      {isWritten && (
        <Banner tone="warn" title="The values are saved, the merge is not done">
          Nothing is lost. The chosen values are in {name}; merging can be tried again.
        </Banner>
      )}
      <Card title="Side by side">
        <MergeTable
          {...{ rows, stays, nameOf, chosen, kept, choices }}
          onStays={(id) => {
            setChoices(new Map());
            void show({ ...view, stays: id });
          }}
          onChoose={(field, choice) => setChoices(new Map(choices).set(field.id, choice))}
          onLeave={(id) => void show({ ...view, ids: view.ids.filter((one) => one !== id) })}
        />
        <p className="ent-line ent-quiet">
          {counted(same, 'field is', 'fields are')} the same in all of them.
          {kept.length > 0 &&
            ' Files and fields that the service fills stay as they are in the entry that stays; those of the others go with them.'}
        </p>
      </Card>
      <Card title="What will happen">
        <CardBody>
          <div className="mg-will">
            <Moved {...{ schema, away, name }} typeId={type.id} />
            <p>
              {requests.length === 0
                ? `The values of ${name} stay as they are.`
                : `${counted(requests.length, 'value', 'values')} of ${name} will be replaced.`}{' '}
              {counted(away.length, 'entry goes', 'entries go')} away for good; the history and the last
              values stay readable.
            </p>
            <Button icon={GitMerge} variant="danger" onClick={() => void merge()}>
              Merge {going} into {name}
            </Button>
          </div>
        </CardBody>
      </Card>
    </>
  );
}

/** How many entries refer to others through a field. */
const countQuery = (field: Field, ids: readonly number[]) => ({
  queryKey: [{ _id: 'queryRowsByBody', referring: field.id, ids }],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (
      await readRows(
        field.entryTypeId,
        { query: { [field.apiName]: { $in: [...ids] } }, fields: ['EntryId'], limit: 1 },
        signal,
      )
    ).totalRecords,
});

interface MovedProps {
  schema: Schema;
  typeId: number;
  away: readonly RowVm[];
  name: string;
}

/** What refers to the entries that go away, and will refer to the one that stays. */
function Moved({ schema, typeId, away, name }: MovedProps) {
  const ids = away.map(({ EntryId }) => EntryId);
  const referring = ids.length === 0 ? [] : referringTo(typeId, schema);
  const answers = useQueries({ queries: referring.map((field) => countQuery(field, ids)) });
  const failed = answers.find(({ error }) => error !== null)?.error;
  if (failed) return <p className="field-error">{toServiceError(failed).message}</p>;
  if (answers.some(({ isPending }) => isPending)) return <p>Looking for what refers to them…</p>;
  const found = referring.flatMap((field, at) => {
    const total = answers[at]?.data ?? 0;
    return total > 0 ? [{ field, total }] : [];
  });
  if (found.length === 0) return <p>Nothing refers to the entries that go away.</p>;
  return (
    <>
      <p>
        {counted(
          found.reduce((sum, { total }) => sum + total, 0),
          'value refers to what goes away and will refer',
          'values refer to what goes away and will refer',
        )}{' '}
        to <bdi>{name}</bdi>:
      </p>
      <ul>
        {found.map(({ field, total }) => (
          <li key={field.id}>
            {field.name} of {count(total)} {schema.typeById.get(field.entryTypeId)?.pluralName ?? 'entries'}
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
  /** Searched for at first: duplicates are called alike. */
  like: string;
  ids: readonly number[];
  nameOf: (row: RowVm) => string;
  onAdd: (entryId: number) => void;
}

const FOUND = 8;

/** Looks for entries by name, to put them beside the others. */
function AddEntry({ typeId, pluralName, nameField, like, ids, nameOf, onAdd }: AddEntryProps) {
  const [q, setQ] = useState(like);
  const sought = useDeferredValue(q.trim());
  const { data, error } = useQuery({
    queryKey: [{ _id: 'queryRowsByBody', typeId, duplicates: sought }],
    queryFn: ({ signal }) =>
      readRows(
        typeId,
        {
          query: { [nameField.apiName]: { $contains: sought } },
          fields: [nameField.apiName],
          limit: FOUND + MOST_AT_ONCE,
        },
        signal,
      ),
    enabled: sought !== '',
  });
  const found = data?.rows.filter(({ EntryId }) => !ids.includes(EntryId)).slice(0, FOUND) ?? [];
  const full = ids.length >= MOST_AT_ONCE ? `At most ${MOST_AT_ONCE} side by side` : undefined;
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
        {found.map((row) => (
          <li key={row.EntryId}>
            <span>
              <bdi>{nameOf(row)}</bdi> <span className="mg-id">id {row.EntryId}</span>
            </span>
            <Button size="small" disabledReason={full} onClick={() => onAdd(row.EntryId)}>
              Add<span className="visually-hidden"> {nameOf(row)}</span>
            </Button>
          </li>
        ))}
      </ul>
      {data && found.length === 0 && <p className="ent-quiet">No other entry is called so.</p>}
    </div>
  );
}
