import { useQueryClient, useSuspenseQuery, useQuery, useQueries } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { ListTree, Table2, GitMerge, Trash2, Undo2 } from 'lucide-react';
import { StagedBar } from '../editing/StagedBar.tsx';
import { useType } from '../model/use-type.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Page } from '../../../ui/layout/Page.tsx';
import { EntryValues } from './EntryValues.tsx';
import { EntryHistory, EntryMoments } from './EntryHistory.tsx';
import { Gone, GoneBadge } from './Gone.tsx';
import { entryQuery } from './entry-query.ts';
import type { EntryTypeVm, EntryLineage, LineageEntry } from '../../../api/generated/types.gen.ts';
import { lastView } from '../model/last-view.ts';
import { writeEntriesView, writePointed } from '../model/view.ts';
import { can, useAllowed, useSession } from '../../../api/session.ts';
import { writeMergeView } from '../merge/merge-view.ts';
import { deleteEntriesOf, keepEntriesOf, useChanges } from '../editing/store.ts';
import type { Field, Schema } from '../model/schema.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import type { Entry } from './entry-query.ts';
import { counted, count } from '../../../lib/numbers.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { Who } from '../history/Who.tsx';
import { EntryName } from '../merge/EntryName.tsx';
import { lineageQuery } from '../merge/lineage.ts';
import { toServiceError } from '../../../api/errors.ts';
import { referringTo } from '../model/schema-words.ts';
import { readRows } from '../model/use-rows.ts';
import { itemText, itemsOf, valueIn } from '../model/values.ts';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import './entries.css';
import '../merge/merge.css';

const route = getRouteApi('/_app/entries/$type/$entryId');

/** One entry: its values, its files, what refers to it, and how it came about. */
export function EntryPage() {
  const { type: typeName, entryId } = route.useParams();
  const client = useQueryClient();
  const { schema, type, fields } = useType();
  const { data: entry } = useSuspenseQuery(entryQuery(client, typeName, entryId));
  return (
    <Page
      breadcrumbs={<Trail />}
      title={<bdi>{entry.name}</bdi>}
      badge={entry.isDeleted && <GoneBadge type={type} entryId={entry.id} />}
      meta={
        <span className="ent-facts">
          <span>{type.singularName}</span>
          <span>
            id {entry.id} <CopyButton value={String(entry.id)} label="Copy id" />
          </span>
        </span>
      }
      actions={
        <>
          {!entry.isDeleted && <ShowInList type={type} entryId={entry.id} />}
          {!entry.isDeleted && <MergeLink type={type.apiName} entryId={entry.id} />}
          <Link to="/entries/$type/schema" params={{ type: type.apiName }} className={buttonClass()}>
            <ListTree />
            Schema
          </Link>
          <DeleteEntry {...{ type, entry, fields }} />
        </>
      }
    >
      {entry.isDeleted && <Gone {...{ type, entry, fields }} />}
      <GoesBanner {...{ type, entry }} />
      <EntryMoments {...{ type, entry, fields }} />
      <div className="ent-cols">
        <EntryValues entry={entry} fields={fields} />
        <div className="ent-side">
          <Lineage type={type} entryId={entry.id} />
          <EntryHistory {...{ type, entry, fields }} />
          <ReferredBy {...{ schema, type, entry }} />
        </div>
      </div>
      <div className="staged-page">
        <StagedBar typeId={type.id} />
      </div>
    </Page>
  );
}

/** Leads from an entry to its place in the list that one came from: its search, filter, order and columns. */
const ShowInList = ({ type, entryId }: { type: EntryTypeVm; entryId: number }) => (
  <Link
    to="/entries/$type"
    params={{ type: type.apiName }}
    search={{ ...writeEntriesView(lastView(type.id)), ...writePointed({ entryId, field: '' }) }}
    className={buttonClass()}
  >
    <Table2 />
    Show in the list
  </Link>
);

/** Leads to where an entry and its duplicates become one; for whoever may do that. */
function MergeLink({ type, entryId }: { type: string; entryId: number }) {
  const { allowed } = useAllowed('mergeEntries');
  const session = useSession();
  if (!allowed || !can(session, ['Delete Data'])) return null;
  return (
    <Link
      to="/entries/$type/merge"
      params={{ type }}
      search={writeMergeView({ ids: [entryId], stays: undefined })}
      className={buttonClass()}
    >
      <GitMerge />
      Merge duplicates
    </Link>
  );
}

interface DeleteEntryProps {
  type: EntryTypeVm;
  entry: Entry;
  fields: readonly Field[];
}

/** Stages that the entry goes: nothing is deleted before somebody has reviewed it. */
function DeleteEntry({ type, entry, fields }: DeleteEntryProps) {
  const { reason } = useAllowed('deleteEntries');
  const goes = useChanges(type.id).deletions.has(entry.id);
  if (entry.isDeleted || goes) return null;
  const { id: entryId, name: entryName, row: seen } = entry;
  return (
    <Button
      icon={Trash2}
      disabledReason={reason}
      onClick={() =>
        deleteEntriesOf(
          type.id,
          [{ entryId, entryName, seen, fieldIds: fields.map(({ id }) => id) }],
          `Delete ${entryName}`,
        )
      }
    >
      Delete
    </Button>
  );
}

/** Says that the entry goes with the next save, and takes that back. */
function GoesBanner({ type, entry }: Pick<DeleteEntryProps, 'type' | 'entry'>) {
  const goes = useChanges(type.id).deletions.has(entry.id);
  if (!goes || entry.isDeleted) return null;
  return (
    <Banner
      tone="warn"
      title="This entry is to be deleted"
      actions={
        <Button
          size="small"
          icon={Undo2}
          onClick={() => keepEntriesOf(type.id, [entry.id], `Keep ${entry.name}`)}
        >
          Keep it
        </Button>
      }
    >
      It is still there. It is deleted once you review what is staged and send it; what else is staged in it
      is not saved then.
    </Banner>
  );
}

/** The entries that an entry was merged with, in both directions; nothing where there are none. */
function Lineage({ type, entryId }: { type: EntryTypeVm; entryId: number }) {
  const { data } = useQuery(lineageQuery(type.id, entryId));
  if (!data || data.wentInto.length + data.tookIn.length === 0) return null;
  return (
    <Card title="Merges">
      {data.wentInto.length > 0 && <WentInto lineage={data} />}
      {data.tookIn.length > 0 && (
        <div className="ent-line">
          <p>{counted(data.tookIn.length, 'entry', 'entries')} went into it:</p>
          <Taken of={data.id} all={data.tookIn} />
        </div>
      )}
    </Card>
  );
}

function WentInto({ lineage: { wentInto } }: { lineage: EntryLineage }) {
  return (
    <div className="ent-line">
      <p>It went into:</p>
      <ol className="mg-way">
        {wentInto.map((step) => (
          <li key={step.id}>
            <EntryName entry={step} />
            <span className="ent-quiet">
              <Moment at={step.at} />, <Who {...(step.by && { by: step.by })} />
              {step.isDeleted && ' · not there either'}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** What went into an entry, and under each what had gone into that one before. */
function Taken({ of, all }: { of: number; all: readonly LineageEntry[] }) {
  const direct = all.filter(({ mergedEntryId }) => mergedEntryId === of);
  return (
    <ul className="mg-tree">
      {direct.map((entry) => (
        <li key={entry.id}>
          <EntryName entry={entry} />
          <span className="ent-quiet">
            <Moment at={entry.mergedAt} />, <Who {...(entry.by && { by: entry.by })} />
          </span>
          {all.some(({ mergedEntryId }) => mergedEntryId === entry.id) && <Taken of={entry.id} all={all} />}
        </li>
      ))}
    </ul>
  );
}

interface ReferredByProps {
  schema: Schema;
  type: EntryTypeVm;
  entry: Entry;
}

const FIRST = 5;
/** Each field that may refer is a question of its own. */
const MOST_FIELDS = 40;

function questionOf(field: Field, schema: Schema, entryId: number) {
  const key = schema.fieldsOf(field.entryTypeId).find(({ isKey }) => isKey);
  return {
    queryKey: [{ _id: 'queryRowsByBody', referring: field.id, entryId }],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      readRows(
        field.entryTypeId,
        { query: { [field.apiName]: entryId }, fields: key ? [key.apiName] : ['EntryId'], limit: FIRST },
        signal,
      ),
  };
}

/** The entries that refer to this one, by the field that does. */
function ReferredBy({ schema, type, entry }: ReferredByProps) {
  const all = referringTo(type.id, schema);
  const referring = all.slice(0, MOST_FIELDS);
  const answers = useQueries({ queries: referring.map((field) => questionOf(field, schema, entry.id)) });
  const waiting = answers.some(({ isPending }) => isPending);
  const failed = answers.find(({ error }) => error !== null)?.error;
  const total = answers.reduce((sum, { data }) => sum + (data?.totalRecords ?? 0), 0);
  return (
    <Card title={waiting || failed ? 'Referred to by' : `Referred to by ${count(total)}`}>
      {failed && <p className="ent-line field-error">{toServiceError(failed).message}</p>}
      {waiting && <SkeletonRows rows={2} />}
      {all.length === 0 && (
        <p className="ent-line ent-quiet">No field of any type refers to {type.pluralName}.</p>
      )}
      {referring.map((field, at) => {
        const data = answers[at]?.data;
        return data ? <FromField key={field.id} {...{ field, schema, entry, data }} /> : null;
      })}
      {all.length > referring.length && (
        <p className="ent-line ent-quiet">
          {count(all.length - referring.length)} more fields may refer to it and were not asked.
        </p>
      )}
    </Card>
  );
}

interface FromFieldProps {
  field: Field;
  schema: Schema;
  entry: Entry;
  data: Awaited<ReturnType<typeof readRows>>;
}

function FromField({ field, schema, entry, data }: FromFieldProps) {
  const from = schema.typeById.get(field.entryTypeId);
  if (!from) return null;
  const key = schema.fieldsOf(from.id).find(({ isKey }) => isKey);
  const { totalRecords, rows } = data;
  return (
    <div className="ent-line">
      <p>
        {field.name} of {totalRecords === 1 ? from.singularName : from.pluralName}: {count(totalRecords)}
      </p>
      <ul>
        {rows.map((row) => {
          const [name] = key ? itemsOf(valueIn(row, key)) : [];
          return (
            <li key={row.EntryId}>
              <Link to="/entries/$type/$entryId" params={{ type: from.apiName, entryId: row.EntryId }}>
                <bdi>{key && name !== undefined ? itemText(name, key) : `Entry ${row.EntryId}`}</bdi>
              </Link>
            </li>
          );
        })}
      </ul>
      {totalRecords > rows.length && (
        <Link
          to="/entries/$type"
          params={{ type: from.apiName }}
          search={{ query: { [field.apiName]: entry.id } }}
        >
          Show all {count(totalRecords)}
        </Link>
      )}
    </div>
  );
}
