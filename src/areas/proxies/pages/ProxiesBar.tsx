import { Choice } from '../../../ui/chart/Choice.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { FilterChip } from '../../../ui/table/FilterChip.tsx';
import { ToggleChip } from '../../../ui/table/ToggleChip.tsx';
import { MARKS } from '../model/marks.ts';
import type { Mark } from '../model/marks.ts';
import { MORE } from '../model/view.ts';
import type { ProxiesView } from '../model/view.ts';

const ENDS = [
  { value: 'proxy', label: 'By proxy' },
  { value: 'user', label: 'By user' },
] as const;
const LABELS: Record<Mark, string> = {
  cycle: 'In a cycle',
  inactive: 'Inactive involved',
  noTwoFactor: 'Proxy without two-factor',
};
const MORE_OPTIONS = MORE.map((number) => ({ value: String(number), label: `More than ${number}` }));

interface Asking<View> {
  view: View;
  show: (view: View) => void;
  type: (q: string) => void;
  settle: () => void;
}

/** What is asked for, over the list and over the graph. */
export function ProxiesBar({ view, show, type, settle }: Asking<ProxiesView>) {
  return (
    <>
      <Choice label="Look from" options={ENDS} value={view.by} onChange={(by) => show({ ...view, by })} />
      <MarkFilters {...{ view, show, type, settle }} />
      <FilterChip
        label={view.by === 'proxy' ? 'May act for' : 'Proxies'}
        options={MORE_OPTIONS}
        value={view.more === undefined ? [] : [String(view.more)]}
        // One number alone makes sense: the one chosen last.
        onChange={(chosen) => {
          const last = chosen.at(-1);
          show({ ...view, more: last === undefined ? undefined : Number(last) });
        }}
      />
    </>
  );
}

/** The search and the marks, which the graph has as well. */
export function MarkFilters<View extends Pick<ProxiesView, 'q' | 'marks'>>({
  view,
  show,
  type,
  settle,
}: Asking<View>) {
  const toggle = (mark: Mark) => (on: boolean) =>
    show({ ...view, marks: MARKS.filter((one) => (one === mark ? on : view.marks.includes(one))) });
  return (
    <>
      <SearchField
        label="Search assignments"
        placeholder="Name, e-mail, id, proxy: or user:"
        value={view.q}
        onChange={type}
        onLeave={settle}
      />
      {MARKS.map((mark) => (
        <ToggleChip key={mark} label={LABELS[mark]} on={view.marks.includes(mark)} onChange={toggle(mark)} />
      ))}
    </>
  );
}
