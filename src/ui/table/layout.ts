import type { Density } from '../theme.ts';
import type { Column } from './columns.ts';

/** As `--row` in tokens.css: the virtualiser has to know the height before a row is drawn. */
const ROW: Record<Density, number> = { compact: 30, regular: 36, comfortable: 44 };
const SMALL_ROW = 60;
const SELECT_WIDTH = 38;
const MENU_WIDTH = 44;
const LEAST = 120;

export function rowHeight(density: Density, small: boolean): number {
  return small ? SMALL_ROW : ROW[density];
}

/** The columns' widths and the least width under which the table scrolls sideways. */
export function layoutOf<Row>(columns: readonly Column<Row>[], small: boolean) {
  const least = columns.map((column) => column.width ?? column.minWidth ?? LEAST);
  const sum = least.reduce((total, width) => total + width, SELECT_WIDTH + MENU_WIDTH);
  return { select: SELECT_WIDTH, menu: MENU_WIDTH, minWidth: small ? undefined : sum };
}
