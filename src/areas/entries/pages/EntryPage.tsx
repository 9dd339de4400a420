import { useQueryClient, useSuspenseQuery, useQuery, useQueries } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { ListTree, Table2, GitMerge, Trash2, Undo2 } from 'lucide-react';
import type { EntryTypeVm, EntryLineage, LineageEntry } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { hasAnyCapability, usePermission, useSession } from '../../../api/session.ts';
import { pluralize, formatNumber } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { TypeTile } from '../../../ui/layout/TypeTile.tsx';
import { stageEntryDeletions, unstageEntryDeletions, useChangeSet } from '../editing/change-set-store.ts';
import { StagedBar } from '../editing/review/StagedBar.tsx';
import { ActorName } from '../history/ActorName.tsx';
import { lineageQuery } from '../history/history-queries.ts';
import { formatMergeView } from '../merge/merge-view.ts';
import { queryRows } from '../model/entry-rows.ts';
import { getReferencingFields } from '../model/field-usage.ts';
import type { Field, Schema } from '../model/schema.ts';
import { useEntryType } from '../model/use-entry-type.ts';
import { formatItem, toItems, getValue } from '../model/values.ts';
import { getLastView, formatView, formatCellAddress } from '../views/view.ts';
import { DeletedEntryBanner, DeletedBadge, EntryNameLink } from './DeletedEntry.tsx';
import { entryQuery } from './entry-query.ts';
import type { Entry } from './entry-query.ts';
import { EntryHistory, SelectedComparison } from './EntryHistory.tsx';
import { EntryRelationships } from './EntryRelationships.tsx';
import { EntryValues } from './EntryValues.tsx';
import './entries.css';
import '../merge/merge.css';

const route = getRouteApi('/_app/entries/$type/$entryId');

/** Page of one entry: values, files, history, merges and references to it. */
export function EntryPage() {
  const { type: typeName, entryId } = route.useParams();
  const client = useQueryClient();
  const { schema, type, fields } = useEntryType();
  const { data: entry } = useSuspenseQuery(entryQuery(client, typeName, entryId));
  return (
    <Page
      breadcrumbs={<Breadcrumbs />}
      lead={<TypeTile type={type} size="large" />}
      title={<bdi title={entry.name}>{entry.name}</bdi>}
      badge={entry.isDeleted && <DeletedBadge type={type} entryId={entry.id} />}
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
      {entry.isDeleted && <DeletedEntryBanner {...{ type, entry, fields }} />}
      <PendingDeletionBanner {...{ type, entry }} />
      <SelectedComparison {...{ type, entry, fields }} />
      <div className="ent-cols">
        <EntryValues entry={entry} fields={fields} />
        <div className="ent-side">
          <Lineage type={type} entryId={entry.id} />
          <EntryRelationships entryId={entry.id} />
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

/** Link to the entry in the list as last displayed, with its search, filter, order and columns. */
const ShowInList = ({ type, entryId }: { type: EntryTypeVm; entryId: number }) => (
  <Link
    to="/entries/$type"
    params={{ type: type.apiName }}
    search={{ ...formatView(getLastView(type.id)), ...formatCellAddress({ entryId, field: '' }) }}
    className={buttonClass()}
  >
    <Table2 />
    Show in list
  </Link>
);

/** Link to the merge page, for users who may merge entries. */
function MergeLink({ type, entryId }: { type: string; entryId: number }) {
  const { allowed } = usePermission('mergeEntries');
  const session = useSession();
  if (!allowed || !hasAnyCapability(session, ['Delete Data'])) return null;
  return (
    <Link
      to="/entries/$type/merge"
      params={{ type }}
      search={formatMergeView({ ids: [entryId], targetId: undefined })}
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

/** Button that stages the deletion of the entry, which is reviewed before it is sent. */
function DeleteEntry({ type, entry, fields }: DeleteEntryProps) {
  const { reason } = usePermission('deleteEntries');
  const isStaged = useChangeSet(type.id).deletions.has(entry.id);
  if (entry.isDeleted || isStaged) return null;
  const { id: entryId, name: entryName, row } = entry;
  return (
    <Button
      icon={Trash2}
      disabledReason={reason}
      onClick={() =>
        stageEntryDeletions(
          type.id,
          [{ entryId, entryName, row, fieldIds: fields.map(({ id }) => id) }],
          `Delete ${entryName}`,
        )
      }
    >
      Delete
    </Button>
  );
}

/** Banner for a staged deletion with a button to unstage it. */
function PendingDeletionBanner({ type, entry }: Pick<DeleteEntryProps, 'type' | 'entry'>) {
  const isStaged = useChangeSet(type.id).deletions.has(entry.id);
  if (!isStaged || entry.isDeleted) return null;
  return (
    <Banner
      tone="warn"
      title="The deletion of this entry is staged"
      actions={
        <Button
          size="small"
          icon={Undo2}
          onClick={() => unstageEntryDeletions(type.id, [entry.id], `Keep ${entry.name}`)}
        >
          Keep entry
        </Button>
      }
    >
      It is deleted when you review and save the staged changes. Other staged changes of this entry are then
      not saved.
    </Banner>
  );
}

/** The entries that were merged into this one, and those it was merged into; nothing if there are none. */
function Lineage({ type, entryId }: { type: EntryTypeVm; entryId: number }) {
  const { data } = useQuery(lineageQuery(type.id, entryId));
  if (!data || data.wentInto.length + data.tookIn.length === 0) return null;
  return (
    <Card title="Merges">
      {data.wentInto.length > 0 && <MergedInto lineage={data} />}
      {data.tookIn.length > 0 && (
        <div className="ent-line">
          <p>{pluralize(data.tookIn.length, 'entry was', 'entries were')} merged into it:</p>
          <MergedEntries targetId={data.id} lineage={data.tookIn} />
        </div>
      )}
    </Card>
  );
}

function MergedInto({ lineage: { wentInto } }: { lineage: EntryLineage }) {
  return (
    <div className="ent-line">
      <p>Merged into:</p>
      <ol className="mg-chain">
        {wentInto.map((step) => (
          <li key={step.id}>
            <EntryNameLink entry={step} />
            <span className="ent-quiet">
              <Timestamp at={step.at} />, <ActorName {...(step.by && { by: step.by })} />
              {step.isDeleted && ' · deleted since'}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The entries merged into an entry, each with those merged into it before. */
function MergedEntries({ targetId, lineage }: { targetId: number; lineage: readonly LineageEntry[] }) {
  const direct = lineage.filter(({ mergedEntryId }) => mergedEntryId === targetId);
  return (
    <ul className="mg-tree">
      {direct.map((entry) => (
        <li key={entry.id}>
          <EntryNameLink entry={entry} />
          <span className="ent-quiet">
            <Timestamp at={entry.mergedAt} />, <ActorName {...(entry.by && { by: entry.by })} />
          </span>
          {lineage.some(({ mergedEntryId }) => mergedEntryId === entry.id) && (
            <MergedEntries targetId={entry.id} lineage={lineage} />
          )}
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

const MAX_LISTED_REFERENCES = 5;
/** Upper bound of fields that are queried; each takes a request. */
const MAX_REFERENCE_FIELDS = 40;

function referencesQuery(field: Field, schema: Schema, entryId: number) {
  const key = schema.getFields(field.entryTypeId).find(({ isKey }) => isKey);
  return {
    queryKey: [{ _id: 'queryRowsByBody', referring: field.id, entryId }],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      queryRows(
        field.entryTypeId,
        {
          query: { [field.apiName]: entryId },
          fields: key ? [key.apiName] : ['EntryId'],
          limit: MAX_LISTED_REFERENCES,
        },
        signal,
      ),
  };
}

/** The entries that refer to this one, by field. */
function ReferredBy({ schema, type, entry }: ReferredByProps) {
  const referenceFields = getReferencingFields(type.id, schema);
  const queriedFields = referenceFields.slice(0, MAX_REFERENCE_FIELDS);
  const results = useQueries({
    queries: queriedFields.map((field) => referencesQuery(field, schema, entry.id)),
  });
  const isLoading = results.some(({ isPending }) => isPending);
  const failure = results.find(({ error }) => error !== null)?.error;
  const total = results.reduce((sum, { data }) => sum + (data?.totalRecords ?? 0), 0);
  return (
    <Card title={isLoading || failure ? 'Referenced by' : `Referenced by (${formatNumber(total)})`}>
      {failure && <p className="ent-line field-error">{toServiceError(failure).message}</p>}
      {isLoading && <SkeletonRows rows={2} />}
      {referenceFields.length === 0 && (
        <p className="ent-line ent-quiet">No field of any type refers to {type.pluralName}.</p>
      )}
      {queriedFields.map((field, at) => {
        const data = results[at]?.data;
        return data ? <FieldReferences key={field.id} {...{ field, schema, entry, data }} /> : null;
      })}
      {referenceFields.length > queriedFields.length && (
        <p className="ent-line ent-quiet">
          {formatNumber(referenceFields.length - queriedFields.length)} more fields may refer to it and were
          not checked.
        </p>
      )}
    </Card>
  );
}

interface FieldReferencesProps {
  field: Field;
  schema: Schema;
  entry: Entry;
  data: Awaited<ReturnType<typeof queryRows>>;
}

function FieldReferences({ field, schema, entry, data }: FieldReferencesProps) {
  const referringType = schema.typeById.get(field.entryTypeId);
  if (!referringType) return null;
  const key = schema.getFields(referringType.id).find(({ isKey }) => isKey);
  const { totalRecords, rows } = data;
  return (
    <div className="ent-line">
      <p>
        {field.name} of {totalRecords === 1 ? referringType.singularName : referringType.pluralName}:{' '}
        {formatNumber(totalRecords)}
      </p>
      <ul>
        {rows.map((row) => {
          const [name] = key ? toItems(getValue(row, key)) : [];
          return (
            <li key={row.EntryId}>
              <Link
                to="/entries/$type/$entryId"
                params={{ type: referringType.apiName, entryId: row.EntryId }}
              >
                <bdi>{key && name !== undefined ? formatItem(name, key) : `Entry ${row.EntryId}`}</bdi>
              </Link>
            </li>
          );
        })}
      </ul>
      {totalRecords > rows.length && (
        <Link
          to="/entries/$type"
          params={{ type: referringType.apiName }}
          search={{ query: { [field.apiName]: entry.id } }}
        >
          Show all {formatNumber(totalRecords)}
        </Link>
      )}
    </div>
  );
}
