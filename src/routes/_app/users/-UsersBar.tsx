import { RefreshCw } from 'lucide-react';
import { licenseTypes } from '../../../../contract/rules/licenses.ts';
import type { Directory } from '../../../directory/directory.ts';
import type { Counts, FilterKey } from '../../../directory/facets.ts';
import { clockTime } from '../../../lib/dates.ts';
import { count } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { FilterChip } from '../../../ui/table/FilterChip.tsx';
import { AsOf, TableBar } from '../../../ui/table/TableBar.tsx';
import { TableTools } from '../../../ui/table/TableTools.tsx';
import { COLUMNS } from './-columns.tsx';
import { fromSort, toSort } from './-sort.ts';
import type { UsersView } from './-view.ts';

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

interface UsersBarProps {
  view: UsersView;
  show: (view: UsersView) => void;
  type: (q: string) => void;
  settle: () => void;
  directory: Directory;
  counts: Counts | undefined;
}

/** Search and filters, each with how many it would show; how fresh the list is; columns and density. */
export function UsersBar({ view, show, type, settle, directory, counts }: UsersBarProps) {
  const groups = directory.groups
    .map(({ id, name }) => ({ value: String(id), label: name }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const chips: {
    key: FilterKey;
    label: string;
    options: readonly { value: string; label: string }[];
    one?: boolean;
  }[] = [
    { key: 'status', label: 'Status', options: STATUSES },
    { key: 'license', label: 'License', options: LICENSES },
    { key: 'group', label: 'Group', options: groups },
    { key: 'twoFactor', label: 'Two-factor', options: ON_OFF },
    { key: 'addresses', label: 'Approved addresses', options: ON_OFF },
    { key: 'changed', label: 'Changed', options: AGES, one: true },
  ];
  return (
    <TableBar tools={<Tools {...{ view, show, directory }} />}>
      <SearchField
        label="Search users"
        placeholder="Name, e-mail, id: or paste a list"
        value={view.q}
        onChange={type}
        onLeave={settle}
        onPasteList={(text) =>
          type(
            text
              .trim()
              .split(/[\s,;]*[\n,;]\s*/)
              .join(', '),
          )
        }
      />
      {chips.map(({ key, label, options, one }) => (
        <FilterChip
          key={key}
          label={label}
          options={options.map((option) => ({ ...option, count: counts?.[key][option.value] ?? 0 }))}
          value={view.filters[key]}
          onChange={(value) =>
            show({ ...view, filters: { ...view.filters, [key]: one ? value.slice(-1) : value } })
          }
        />
      ))}
    </TableBar>
  );
}

function Tools({ view, show, directory }: Pick<UsersBarProps, 'view' | 'show' | 'directory'>) {
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
        onSort={(sort) => show({ ...view, sort: fromSort(sort) })}
      />
    </>
  );
}
