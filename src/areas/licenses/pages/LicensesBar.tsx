import { RefreshCw } from 'lucide-react';
import { licenseTypes } from '../../../../contract/rules/licenses.ts';
import type { Directory } from '../../../directory/directory.ts';
import type { FacetCounts } from '../../../directory/engine/facets.ts';
import { SORT_KEYS } from '../../../directory/engine/search.ts';
import { formatTime } from '../../../lib/dates.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { fromSort, toSort } from '../../../ui/table/columns.ts';
import { FilterChip } from '../../../ui/table/FilterChips.tsx';
import { AsOf, TableBar, TableTools } from '../../../ui/table/TableBar.tsx';
import type { useLicensesView } from '../model/use-view.ts';
import type { LicenseFilter } from '../model/view.ts';
import { getFilterCounts } from '../model/view.ts';
import { COLUMNS } from './columns.tsx';

const LICENSE_OPTIONS = licenseTypes.map(({ licenseTypeId, description }) => ({
  value: String(licenseTypeId),
  label: description,
}));
const BILLABLE_OPTIONS = [
  { value: 'yes', label: 'Billable' },
  { value: 'no', label: 'Not billable' },
];
const STATUS_OPTIONS = [
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Inactive' },
  { value: 'locked', label: 'Locked' },
];

interface LicensesBarProps extends ReturnType<typeof useLicensesView> {
  directory: Directory;
  counts: FacetCounts | undefined;
}

/** Search and filters with their counts, freshness of the list, columns. */
export function LicensesBar({ view, show, type, settle, directory, counts }: LicensesBarProps) {
  const filterCounts = counts && getFilterCounts(view, counts);
  const groups = directory.groups
    .map(({ id, name }) => ({ value: String(id), label: name }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const chips: { key: LicenseFilter; label: string; options: readonly { value: string; label: string }[] }[] =
    [
      { key: 'license', label: 'License', options: LICENSE_OPTIONS },
      { key: 'billable', label: 'Billable', options: BILLABLE_OPTIONS },
      { key: 'status', label: 'Status', options: STATUS_OPTIONS },
      { key: 'group', label: 'Group', options: groups },
    ];
  return (
    <TableBar tools={<Tools {...{ view, show, directory }} />}>
      <SearchField
        label="Search people"
        placeholder="Name, e-mail or id"
        value={view.q}
        onChange={type}
        onBlur={settle}
      />
      {chips.map(({ key, label, options }) => (
        <FilterChip
          key={key}
          label={label}
          options={options.map((option) => ({ ...option, count: filterCounts?.[key][option.value] ?? 0 }))}
          value={view[key]}
          onChange={(value) => show({ ...view, [key]: value })}
        />
      ))}
    </TableBar>
  );
}

function Tools({ view, show, directory }: Pick<LicensesBarProps, 'view' | 'show' | 'directory'>) {
  const { size, complete, asOf, refreshing, error, refresh } = directory;
  return (
    <>
      {size !== undefined && !complete && <AsOf tone="warn">{formatNumber(size)} read</AsOf>}
      {asOf !== undefined && complete && <AsOf tone={error ? 'bad' : 'ok'}>As of {formatTime(asOf)}</AsOf>}
      <IconButton label="Reload everything" icon={RefreshCw} pending={refreshing} onClick={refresh} />
      <TableTools
        columns={COLUMNS}
        hidden={view.hidden}
        onHide={(hidden) => show({ ...view, hidden })}
        sort={toSort(view.sort)}
        onSort={(sort) => show({ ...view, sort: fromSort(sort, SORT_KEYS) })}
      />
    </>
  );
}
