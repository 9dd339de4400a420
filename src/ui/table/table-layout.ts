import type { Density } from '../style/theme.ts';
import type { Column } from './columns.ts';

/** How a user has arranged the columns of a table; hidden columns are kept by the page of the table. */
export interface TableLayout {
  /** Ids of the columns in their order; columns that it does not name follow in their own order. */
  order: readonly string[];
  /** Widths in pixels by id. */
  widths: Readonly<Record<string, number>>;
  /** Row height of this table; undefined: that of all tables. */
  density?: Density | undefined;
}

export const MIN_WIDTH_PX = 40;
export const MAX_WIDTH_PX = 2000;
/** Change of a width by one press of a button, in pixels. */
export const WIDTH_STEP_PX = 20;

const EMPTY_LAYOUT: TableLayout = { order: [], widths: {} };
const DENSITIES: readonly unknown[] = ['compact', 'regular', 'comfortable'] satisfies Density[];
const isDensity = (value: unknown): value is Density => DENSITIES.includes(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isWidth = (entry: [string, unknown]): entry is [string, number] =>
  typeof entry[1] === 'number' && entry[1] >= MIN_WIDTH_PX && entry[1] <= MAX_WIDTH_PX;

/** Reads a stored layout; what is not valid is left out. */
export function parseTableLayout(text: string | null): TableLayout {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? '{}');
  } catch {
    return EMPTY_LAYOUT;
  }
  const { order, widths, density } = Object(stored) as Record<string, unknown>;
  return {
    order: Array.isArray(order) ? order.filter(isText) : [],
    widths: Object.fromEntries(Object.entries(Object(widths)).filter(isWidth)),
    ...(isDensity(density) && { density }),
  };
}

/** The columns in the order and with the widths of a layout. The first stays first: it names the row. */
export function arrangeColumns<Arranged extends Pick<Column<never>, 'id' | 'width'>>(
  columns: readonly Arranged[],
  { order, widths }: TableLayout,
): readonly Arranged[] {
  const [first, ...others] = columns;
  if (!first) return columns;
  const getPosition = (id: string): number => (order.includes(id) ? order.indexOf(id) : order.length);
  return [first, ...others.toSorted((a, b) => getPosition(a.id) - getPosition(b.id))].map((column) => {
    const width = widths[column.id];
    return width === undefined ? column : { ...column, width };
  });
}
