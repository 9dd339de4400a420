import { Link, getRouteApi } from '@tanstack/react-router';
import { FileUp, Plus, Table2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { EntryTypeVm } from '../../../../contract/generated/types.gen.ts';
import { useSession, usePermission } from '../../../api/session.ts';
import { foldText } from '../../../lib/fold-text.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { useSchema } from '../../entries/index.ts';
import type { Schema } from '../../entries/index.ts';
import { TypePanel } from '../panels/TypePanel.tsx';

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
    cell: ({ entryCount }) => (entryCount === undefined ? '' : formatNumber(entryCount)),
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
        aria-label={`${pluralize(fields, 'field', 'fields')} of ${pluralName}`}
      >
        {formatNumber(fields)}
      </Link>
    ),
  },
];

const getRowId = ({ id }: TypeRow) => id;
const getRowLabel = ({ pluralName }: TypeRow) => pluralName;

function buildRows({ types, getFields }: Schema, q: string): TypeRow[] {
  const searchText = foldText(q.trim());
  return types
    .filter((type) =>
      foldText(`${type.pluralName} ${type.singularName} ${type.apiName}`).includes(searchText),
    )
    .map((type) => ({ ...type, fields: getFields(type.id).length }));
}

/** List of the entry types of the site, with links to their entries and fields. */
export function TypesPage() {
  const { site } = useSession();
  const schema = useSchema();
  const search = route.useSearch();
  const [q, setQ] = useState('');
  const rows = useMemo(() => buildRows(schema, q), [schema, q]);
  const total = schema.types.reduce((sum, { entryCount = 0 }) => sum + entryCount, 0);
  const { length } = schema.types;
  return (
    <Page
      fill
      title="Entries"
      meta={`${pluralize(length, 'type', 'types')} · ${pluralize(total, 'entry', 'entries')}`}
      actions={
        <>
          <NewTypeFromFileLink />
          <NewTypeLink />
        </>
      }
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
        rowId={getRowId}
        rowLabel={getRowLabel}
        empty={
          <EmptyState
            icon={Table2}
            title={`${site.name} has no entry types`}
            actions={
              <>
                <NewTypeLink />
                <NewTypeFromFileLink />
              </>
            }
          >
            An entry type defines the fields of its entries, such as sector and city of companies or the stage
            of deals. Create the first one, then add fields.
          </EmptyState>
        }
        onClearFilters={q === '' ? undefined : () => setQ('')}
      />
      {search.new && <TypePanel />}
    </Page>
  );
}

function NewTypeFromFileLink() {
  const { reason } = usePermission('extendSchema');
  const imports = usePermission('startEntryImport');
  const disabledReason = reason ?? imports.reason;
  if (disabledReason !== undefined)
    return (
      <Button icon={FileUp} disabledReason={disabledReason}>
        New type from a file
      </Button>
    );
  return (
    <Link to="/entries/from-file" className={buttonClass()}>
      <FileUp />
      New type from a file
    </Link>
  );
}

function NewTypeLink() {
  const { reason } = usePermission('createEntryType');
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
