import { RefreshCw } from 'lucide-react';
import { licenseTypes } from '../../../../contract/rules/licenses.ts';
import type { Directory } from '../../../directory/directory.ts';
import type { FacetCounts, FilterKey } from '../../../directory/engine/facets.ts';
import { SORT_KEYS } from '../../../directory/engine/search.ts';
import { formatTime, formatExactDate } from '../../../lib/dates.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { fromSort, toSort } from '../../../ui/table/columns.ts';
import { FilterChip, ToggleChip, MoreFilters } from '../../../ui/table/FilterChips.tsx';
import { AsOf, TableBar, TableTools } from '../../../ui/table/TableBar.tsx';
import { saveHiddenColumns } from '../model/hidden-columns.ts';
import type { UsersView } from '../model/view.ts';
import { COLUMNS } from './columns.tsx';

const ON_OFF_OPTIONS = [
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
];
const STATUS_OPTIONS = [
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Inactive' },
  { value: 'locked', label: 'Locked' },
];
const LICENSE_OPTIONS = licenseTypes.map(({ licenseTypeId, description }) => ({
  value: String(licenseTypeId),
  label: description,
}));
const AGE_OPTIONS = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
];

interface FilterDefinition {
  key: FilterKey;
  label: string;
  options: readonly { value: string; label: string }[];
  /** Only one value can be selected. */
  isSingleValue?: boolean;
  /** Hidden under "More" until it is active. */
  isCollapsed?: boolean;
}

interface UsersBarProps {
  view: UsersView;
  hidden: readonly string[];
  show: (view: UsersView, replace?: boolean) => void;
  type: (q: string) => void;
  settle: () => void;
  directory: Directory;
  counts: FacetCounts | undefined;
  onPaste: (text: string) => void;
  selectedCount: number;
  showsOnlySelected: boolean;
  onShowOnlySelected: (only: boolean) => void;
}

/** Search and filters with their counts, freshness of the list, columns and density. */
export function UsersBar(props: UsersBarProps) {
  const { view, show, type, settle, directory, counts, onPaste } = props;
  const { selectedCount, showsOnlySelected, onShowOnlySelected } = props;
  const groups = directory.groups
    .map(({ id, name }) => ({ value: String(id), label: name }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const definitions: FilterDefinition[] = [
    { key: 'status', label: 'Status', options: STATUS_OPTIONS },
    { key: 'license', label: 'License', options: LICENSE_OPTIONS },
    { key: 'group', label: 'Group', options: groups },
    { key: 'twoFactor', label: 'Two-factor', options: ON_OFF_OPTIONS, isCollapsed: true },
    { key: 'addresses', label: 'Approved addresses', options: ON_OFF_OPTIONS, isCollapsed: true },
    { key: 'changed', label: 'Changed', options: AGE_OPTIONS, isSingleValue: true, isCollapsed: true },
  ];
  const toFilter = ({ key, label, options, isSingleValue }: FilterDefinition) => ({
    label,
    options: options.map((option) => ({ ...option, count: counts?.[key][option.value] ?? 0 })),
    value: view.filters[key],
    onChange: (value: readonly string[]) =>
      show({ ...view, filters: { ...view.filters, [key]: isSingleValue ? value.slice(-1) : value } }),
  });
  const isVisible = ({ key, isCollapsed }: FilterDefinition) => !isCollapsed || view.filters[key].length > 0;
  const collapsedFilters = definitions.filter((kind) => kind.isCollapsed).map(toFilter);
  return (
    <TableBar tools={<Tools {...props} />}>
      <SearchField
        label="Search users"
        placeholder="Name, e-mail, id: or paste a list"
        value={view.q}
        onChange={type}
        onBlur={settle}
        onPasteList={onPaste}
      />
      {selectedCount > 0 && (
        <ToggleChip
          label={`Selected: ${formatNumber(selectedCount)}`}
          on={showsOnlySelected}
          onChange={onShowOnlySelected}
        />
      )}
      {definitions.filter(isVisible).map((kind) => (
        <FilterChip key={kind.key} {...toFilter(kind)} />
      ))}
      <MoreFilters filters={collapsedFilters} />
    </TableBar>
  );
}

function Tools({ view, hidden, show, directory }: UsersBarProps) {
  const { size, complete, asOf, refreshing, error, refresh } = directory;
  return (
    <>
      {size !== undefined && !complete && <AsOf tone="warn">{formatNumber(size)} read</AsOf>}
      {asOf !== undefined && <AsOf tone={error ? 'bad' : 'ok'}>As of {formatAsOf(asOf)}</AsOf>}
      <IconButton label="Reload everything" icon={RefreshCw} pending={refreshing} onClick={refresh} />
      <TableTools
        columns={COLUMNS}
        hidden={hidden}
        onHide={(next) => {
          saveHiddenColumns(next);
          // Replaces the history entry: hiding columns is not a step for Back.
          show({ ...view, hidden: next }, true);
        }}
        sort={toSort(view.sort)}
        onSort={(sort) => show({ ...view, sort: fromSort(sort, SORT_KEYS) })}
      />
    </>
  );
}

const formatAsOf = (at: number): string =>
  new Date(at).toDateString() === new Date().toDateString() ? formatTime(at) : formatExactDate(new Date(at));
