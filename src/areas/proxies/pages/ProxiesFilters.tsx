import { SearchField } from '../../../ui/form/SearchField.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { FilterChip } from '../../../ui/table/filter/FilterChips.tsx';
import { WARNINGS } from '../model/view.ts';
import type { Warning } from '../model/view.ts';
import { MORE_THAN_OPTIONS } from '../model/view.ts';
import type { ProxiesView } from '../model/view.ts';

const DIRECTIONS = [
  { value: 'proxy', label: 'By proxy' },
  { value: 'user', label: 'By user' },
] as const;
const WARNING_FILTER_LABELS: Record<Warning, string> = {
  cycle: 'In a cycle',
  inactive: 'Inactive involved',
  noTwoFactor: 'Proxy without two-factor',
  selfAssigned: 'Self-assigned',
};
const WARNING_OPTIONS = WARNINGS.map((warning) => ({
  value: warning,
  label: WARNING_FILTER_LABELS[warning],
}));
const MORE_OPTIONS = MORE_THAN_OPTIONS.map((number) => ({
  value: String(number),
  label: `More than ${number}`,
}));

interface FiltersProps<View> {
  view: View;
  show: (view: View) => void;
  type: (q: string) => void;
  settle: () => void;
}

/** Filters of the list. */
export function ProxiesFilters({ view, show, type, settle }: FiltersProps<ProxiesView>) {
  return (
    <>
      <SegmentedControl
        label="Group by"
        options={DIRECTIONS}
        value={view.direction}
        onChange={(by) => show({ ...view, direction: by })}
      />
      <WarningFilters {...{ view, show, type, settle }} />
      <FilterChip
        label={view.direction === 'proxy' ? 'May act for' : 'Proxies'}
        options={MORE_OPTIONS}
        value={view.moreThan === undefined ? [] : [String(view.moreThan)]}
        // Only one threshold makes sense: the last one selected.
        onChange={(chosen) => {
          const last = chosen.at(-1);
          show({ ...view, moreThan: last === undefined ? undefined : Number(last) });
        }}
      />
    </>
  );
}

/** Search and warning filters, shared by the list and the graph. */
export function WarningFilters<View extends Pick<ProxiesView, 'q' | 'warnings'>>({
  view,
  show,
  type,
  settle,
}: FiltersProps<View>) {
  return (
    <>
      <SearchField
        label="Search assignments"
        placeholder="Name, e-mail, id, proxy: or user:"
        value={view.q}
        onChange={type}
        onBlur={settle}
      />
      <FilterChip
        label="Risks"
        options={WARNING_OPTIONS}
        value={view.warnings}
        onChange={(chosen) =>
          show({ ...view, warnings: WARNINGS.filter((warning) => chosen.includes(warning)) })
        }
      />
    </>
  );
}
