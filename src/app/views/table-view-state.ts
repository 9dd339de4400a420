import type { TableView } from '../../../contract/generated/types.gen.ts';
import type { TableLayout } from '../../ui/table/table-layout.ts';

/** What a saved view keeps of a table: its address and how its columns are arranged. */
export interface TableState {
  /** Search parameters of the page. */
  address: string;
  layout: TableLayout;
  hidden: readonly string[];
}

/** Search parameters in a canonical order, without a leading question mark. */
export function normalizeAddress(address: string): string {
  const parameters = new URLSearchParams(address);
  parameters.sort();
  return parameters.toString();
}

/** The state as the content of a view. */
export const toViewContent = ({ address, layout, hidden }: TableState) => ({
  address: normalizeAddress(address),
  layout: {
    order: [...layout.order],
    hidden: [...hidden],
    widths: { ...layout.widths },
    ...(layout.density && { density: layout.density }),
  },
});

const serialize = ({ address, layout }: Pick<TableView, 'address' | 'layout'>): string =>
  JSON.stringify([
    normalizeAddress(address),
    layout.order,
    layout.hidden.toSorted(),
    Object.entries(layout.widths).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    layout.density,
  ]);

/** Whether the table differs from the view. */
export const isTableChanged = (view: TableView, state: TableState): boolean =>
  serialize(view) !== serialize(toViewContent(state));

/**
 * The open view: the one that was chosen in this tab, otherwise the only one that the table shows exactly; undefined if none is open.
 */
export function findOpenView(
  views: readonly TableView[],
  chosenId: number | undefined,
  state: TableState,
): TableView | undefined {
  const chosen = views.find(({ id }) => id === chosenId);
  if (chosen || state.address === '') return chosen;
  return views.find((view) => !isTableChanged(view, state));
}
