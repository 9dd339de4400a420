import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { ListTree } from 'lucide-react';
import { FIELD, isFileField } from '../../../../contract/rules/fields.ts';
import { useType } from '../../../entries/use-type.ts';
import type { Field } from '../../../entries/schema.ts';
import { Lineage } from '../../../entries/merge/Lineage.tsx';
import { ValueView } from '../../../entries/ValueView.tsx';
import { itemsOf, valueIn } from '../../../entries/values.ts';
import { Trail } from '../../../shell/Trail.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { EntryFiles } from './-EntryFiles.tsx';
import { EntryHistory, EntryMoments } from './-EntryHistory.tsx';
import { Gone } from './-Gone.tsx';
import { ReferredBy } from './-ReferredBy.tsx';
import { entryQuery } from './-entry-query.ts';
import type { Entry } from './-entry-query.ts';
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
      badge={entry.isDeleted && <Badge tone="bad">Deleted</Badge>}
      meta={
        <span className="ent-facts">
          <span>{type.singularName}</span>
          <span>
            id {entry.id} <CopyButton value={String(entry.id)} label="Copy id" />
          </span>
        </span>
      }
      actions={
        <Link to="/entries/$type/schema" params={{ type: type.apiName }} className={buttonClass()}>
          <ListTree />
          Schema
        </Link>
      }
    >
      {entry.isDeleted && <Gone type={type} entryId={entry.id} />}
      <EntryMoments {...{ type, entry, fields }} />
      <div className="ent-cols">
        <Values entry={entry} fields={fields} />
        <div className="ent-side">
          <Lineage type={type} entryId={entry.id} />
          <EntryHistory {...{ type, entry, fields }} />
          <ReferredBy {...{ schema, type, entry }} />
        </div>
      </div>
    </Page>
  );
}

const LONG = 2000;

function Values({ entry, fields }: { entry: Entry; fields: readonly Field[] }) {
  return (
    <Card title={entry.isDeleted ? 'Values when it was deleted' : 'Values'}>
      <Facts>
        {fields.map((field) => (
          <Fact key={field.id} label={field.name}>
            <FieldValueOf entry={entry} field={field} />
          </Fact>
        ))}
      </Facts>
    </Card>
  );
}

function FieldValueOf({ entry, field }: { entry: Entry; field: Field }) {
  const value = valueIn(entry.row, field);
  if (itemsOf(value).length === 0) return <span className="ent-quiet">No data</span>;
  if (isFileField(field.fieldType))
    return <EntryFiles entryId={entry.id} field={field} value={value} canRead={!entry.isDeleted} />;
  const isLong = field.fieldType === FIELD.text && typeof value === 'string' && value.length > LONG;
  if (!isLong) return <ValueView value={value} field={field} />;
  return (
    // A stop of its own lets the keyboard scroll a long text.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className="ent-long" aria-label={field.name} tabIndex={0}>
      <ValueView value={value} field={field} />
    </section>
  );
}
