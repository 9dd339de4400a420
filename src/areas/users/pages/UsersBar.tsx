import { RefreshCw } from 'lucide-react';
import { licenseTypes } from '../../../../contract/rules/licenses.ts';
import type { Directory } from '../../../directory/directory.ts';
import type { Counts, FilterKey } from '../../../directory/facets.ts';
import { SORT_KEYS } from '../../../directory/search.ts';
import { clockTime, exactDate } from '../../../lib/dates.ts';
import { count } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { FilterChip } from '../../../ui/table/FilterChip.tsx';
import { MoreFilters } from '../../../ui/table/MoreFilters.tsx';
import { AsOf, TableBar } from '../../../ui/table/TableBar.tsx';
import { TableTools } from '../../../ui/table/TableTools.tsx';
import { ToggleChip } from '../../../ui/table/ToggleChip.tsx';
import { fromSort, toSort } from '../../../ui/table/sort.ts';
import { COLUMNS } from './columns.tsx';
import { keepHiddenColumns } from '../model/hidden-columns.ts';
import type { UsersView } from '../model/view.ts';

const ON_OFF = [
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
];
const STATUSES = [
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Inactive' },
  { value: 'locked', label: 'Locked' },
];
const LICENSES = licenseTypes.map(({ licenseTypeId, description }) => ({
  value: String(licenseTypeId),
  label: description,
}));
const AGES = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
];

interface FilterKind {
  key: FilterKey;
  label: string;
  options: readonly { value: string; label: string }[];
  /** Only one of its values can be on. */
  one?: boolean;
  /** Folded away until it is on. */
  rare?: boolean;
}

interface UsersBarProps {
  view: UsersView;
  hidden: readonly string[];
  show: (view: UsersView, replace?: boolean) => void;
  type: (q: string) => void;
  settle: () => void;
  directory: Directory;
  counts: Counts | undefined;
  onPaste: (text: string) => void;
  selected: number;
  onlySelected: boolean;
  onOnlySelected: (only: boolean) => void;
}

/** Search and filters, each with how many it would show; how fresh the list is; columns and density. */
export function UsersBar(props: UsersBarProps) {
  const { view, show, type, settle, directory, counts, onPaste } = props;
  const { selected, onlySelected, onOnlySelected } = props;
  const groups = directory.groups
    .map(({ id, name }) => ({ value: String(id), label: name }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const kinds: FilterKind[] = [
    { key: 'status', label: 'Status', options: STATUSES },
    { key: 'license', label: 'License', options: LICENSES },
    { key: 'group', label: 'Group', options: groups },
    { key: 'twoFactor', label: 'Two-factor', options: ON_OFF, rare: true },
    { key: 'addresses', label: 'Approved addresses', options: ON_OFF, rare: true },
    { key: 'changed', label: 'Changed', options: AGES, one: true, rare: true },
  ];
  const toFilter = ({ key, label, options, one }: FilterKind) => ({
    label,
    options: options.map((option) => ({ ...option, count: counts?.[key][option.value] ?? 0 })),
    value: view.filters[key],
    onChange: (value: readonly string[]) =>
      show({ ...view, filters: { ...view.filters, [key]: one ? value.slice(-1) : value } }),
  });
  const isShown = ({ key, rare }: FilterKind) => !rare || view.filters[key].length > 0;
  const folded = kinds.filter((kind) => kind.rare).map(toFilter);
  return (
    <TableBar tools={<Tools {...props} />}>
      <SearchField
        label="Search users"
        placeholder="Name, e-mail, id: or paste a list"
        value={view.q}
        onChange={type}
        onLeave={settle}
        onPasteList={onPaste}
      />
      {selected > 0 && (
        <ToggleChip label={`Selected: ${count(selected)}`} on={onlySelected} onChange={onOnlySelected} />
      )}
      {kinds.filter(isShown).map((kind) => (
        <FilterChip key={kind.key} {...toFilter(kind)} />
      ))}
      <MoreFilters filters={folded} />
    </TableBar>
  );
}

function Tools({ view, hidden, show, directory }: UsersBarProps) {
  const { size, complete, asOf, refreshing, error, refresh } = directory;
  return (
    <>
      {size !== undefined && !complete && <AsOf tone="warn">{count(size)} read</AsOf>}
      {asOf !== undefined && <AsOf tone={error ? 'bad' : 'ok'}>As of {moment(asOf)}</AsOf>}
      <IconButton label="Read everything again" icon={RefreshCw} pending={refreshing} onClick={refresh} />
      <TableTools
        columns={COLUMNS}
        hidden={hidden}
        onHide={(next) => {
          keepHiddenColumns(next);
          // A way to look at the list is no step that Back should take.
          show({ ...view, hidden: next }, true);
        }}
        sort={toSort(view.sort)}
        onSort={(sort) => show({ ...view, sort: fromSort(sort, SORT_KEYS) })}
      />
    </>
  );
}

const moment = (at: number): string =>
  new Date(at).toDateString() === new Date().toDateString() ? clockTime(at) : exactDate(new Date(at));
