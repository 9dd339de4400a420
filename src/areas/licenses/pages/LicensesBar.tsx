import { RefreshCw } from 'lucide-react';
import { licenseTypes } from '../../../../contract/rules/licenses.ts';
import type { Directory } from '../../../directory/directory.ts';
import type { Counts } from '../../../directory/facets.ts';
import { SORT_KEYS } from '../../../directory/search.ts';
import { clockTime } from '../../../lib/dates.ts';
import { count } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { FilterChip } from '../../../ui/table/FilterChip.tsx';
import { AsOf, TableBar } from '../../../ui/table/TableBar.tsx';
import { TableTools } from '../../../ui/table/TableTools.tsx';
import { fromSort, toSort } from '../../../ui/table/sort.ts';
import { COLUMNS } from './columns.tsx';
import type { useView } from './use-view.ts';
import { countsFor } from '../model/view.ts';
import type { LicenseFilter } from '../model/view.ts';

const TYPES = licenseTypes.map(({ licenseTypeId, description }) => ({
  value: String(licenseTypeId),
  label: description,
}));
const BILLABLE = [
  { value: 'yes', label: 'Billable' },
  { value: 'no', label: 'Not billable' },
];
const STATUSES = [
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Inactive' },
  { value: 'locked', label: 'Locked' },
];

interface LicensesBarProps extends ReturnType<typeof useView> {
  directory: Directory;
  counts: Counts | undefined;
}

/** Search and filters of the list, each with how many it would show; how fresh it is; its columns. */
export function LicensesBar({ view, show, type, settle, directory, counts }: LicensesBarProps) {
  const shown = counts && countsFor(view, counts);
  const groups = directory.groups
    .map(({ id, name }) => ({ value: String(id), label: name }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const chips: { key: LicenseFilter; label: string; options: readonly { value: string; label: string }[] }[] =
    [
      { key: 'license', label: 'License', options: TYPES },
      { key: 'billable', label: 'Billable', options: BILLABLE },
      { key: 'status', label: 'Status', options: STATUSES },
      { key: 'group', label: 'Group', options: groups },
    ];
  return (
    <TableBar tools={<Tools {...{ view, show, directory }} />}>
      <SearchField
        label="Search people"
        placeholder="Name, e-mail or id"
        value={view.q}
        onChange={type}
        onLeave={settle}
      />
      {chips.map(({ key, label, options }) => (
        <FilterChip
          key={key}
          label={label}
          options={options.map((option) => ({ ...option, count: shown?.[key][option.value] ?? 0 }))}
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
      {size !== undefined && !complete && <AsOf tone="warn">{count(size)} read</AsOf>}
      {asOf !== undefined && complete && <AsOf tone={error ? 'bad' : 'ok'}>As of {clockTime(asOf)}</AsOf>}
      <IconButton label="Read everything again" icon={RefreshCw} pending={refreshing} onClick={refresh} />
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
