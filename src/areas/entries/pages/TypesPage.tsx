import { Link, getRouteApi } from '@tanstack/react-router';
import { Plus, Table2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useSession, useAllowed } from '../../../api/session.ts';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { useSchema } from '../model/schema.ts';
import type { Schema } from '../model/schema.ts';
import { fold } from '../../../lib/fold.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { TypePanel } from '../../schema/TypePanel.tsx';
import './entries.css';

const route = getRouteApi('/_app/entries/');

interface TypeRow extends EntryTypeVm {
  fields: number;
}

const COLUMNS: readonly Column<TypeRow>[] = [
  {
    id: 'name',
    header: 'Entry type',
    minWidth: 220,
    cell: ({ apiName, pluralName }, { tabIndex }) => (
      <Link to="/entries/$type" params={{ type: apiName }} tabIndex={tabIndex}>
        {pluralName}
      </Link>
    ),
  },
  {
    id: 'apiName',
    header: 'API name',
    width: 220,
    small: 'line',
    cell: ({ apiName }) => <span className="mono">{apiName}</span>,
  },
  {
    id: 'entries',
    header: 'Entries',
    width: 130,
    align: 'end',
    small: 'aside',
    cell: ({ entryCount }) => (entryCount === undefined ? '' : count(entryCount)),
  },
  {
    id: 'fields',
    header: 'Fields',
    width: 110,
    align: 'end',
    cell: ({ apiName, fields, pluralName }, { tabIndex }) => (
      <Link
        to="/entries/$type/schema"
        params={{ type: apiName }}
        tabIndex={tabIndex}
        aria-label={`${counted(fields, 'field', 'fields')} of ${pluralName}`}
      >
        {count(fields)}
      </Link>
    ),
  },
];

const idOf = ({ id }: TypeRow) => id;
const nameOf = ({ pluralName }: TypeRow) => pluralName;

function rowsOf({ types, fieldsOf }: Schema, q: string): TypeRow[] {
  const sought = fold(q.trim());
  return types
    .filter((type) => fold(`${type.pluralName} ${type.singularName} ${type.apiName}`).includes(sought))
    .map((type) => ({ ...type, fields: fieldsOf(type.id).length }));
}

/** Every entry type of the site: how many entries it has, and the way to them and to its fields. */
export function TypesPage() {
  const { site } = useSession();
  const schema = useSchema();
  const search = route.useSearch();
  const [q, setQ] = useState('');
  const rows = useMemo(() => rowsOf(schema, q), [schema, q]);
  const total = schema.types.reduce((sum, { entryCount = 0 }) => sum + entryCount, 0);
  const { length } = schema.types;
  return (
    <Page
      fill
      title="Entries"
      meta={`${counted(length, 'type', 'types')} · ${counted(total, 'entry', 'entries')}`}
      actions={<NewTypeLink />}
    >
      {length > 0 && (
        <TableBar>
          <SearchField label="Search entry types" placeholder="Name or API name" value={q} onChange={setQ} />
        </TableBar>
      )}
      <DataTable
        label="Entry types"
        columns={COLUMNS}
        rows={rows}
        rowId={idOf}
        rowLabel={nameOf}
        empty={
          <EmptyState icon={Table2} title={`${site.name} has no entry types`} actions={<NewTypeLink />}>
            An entry type says what entries of one kind hold: companies with their sector and city, deals with
            their stage. Create the first one, then give it fields.
          </EmptyState>
        }
        onClearFilters={q === '' ? undefined : () => setQ('')}
      />
      {search.new && <TypePanel />}
    </Page>
  );
}

function NewTypeLink() {
  const { reason } = useAllowed('createEntryType');
  if (reason !== undefined)
    return (
      <Button variant="primary" icon={Plus} disabledReason={reason}>
        New entry type
      </Button>
    );
  return (
    <Link to="/entries" search={{ new: true }} className={buttonClass({ variant: 'primary' })}>
      <Plus />
      New entry type
    </Link>
  );
}
