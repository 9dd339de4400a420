import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { ListTree } from 'lucide-react';
import { StagedBar } from '../../../entries/editing/StagedBar.tsx';
import { useType } from '../../../entries/use-type.ts';
import { Lineage } from '../../../entries/merge/Lineage.tsx';
import { MergeLink } from '../../../entries/merge/MergeLink.tsx';
import { ShowInList } from '../../../entries/ShowInList.tsx';
import { Trail } from '../../../shell/Trail.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Page } from '../../../ui/layout/Page.tsx';
import { DeleteEntry, GoesBanner } from './-DeleteEntry.tsx';
import { EntryValues } from './-EntryValues.tsx';
import { EntryHistory, EntryMoments } from './-EntryHistory.tsx';
import { Gone, GoneBadge } from './-Gone.tsx';
import { ReferredBy } from './-ReferredBy.tsx';
import { entryQuery } from './-entry-query.ts';
import './-entries.css';

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
