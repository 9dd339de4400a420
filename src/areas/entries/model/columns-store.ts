import { createStore, useStore } from '../../../ui/store.ts';

/** How somebody has the columns of a type or of a saved view, by apiName. */
export interface ColumnChoice {
  hidden: readonly string[];
  /** Columns that were moved come first, in this order; the others follow as the schema has them. */
  order: readonly string[];
  widths: Readonly<Record<string, number>>;
  /** So many stay at the side: the key, and those that follow it. */
  frozen: number;
}

/** The columns as the schema has them. */
export const AS_SCHEMA: ColumnChoice = { hidden: [], order: [], widths: {}, frozen: 1 };
/** So many columns stay at the side at most (contract, ViewColumns). */
export const MOST_FROZEN = 10;
const keyOf = (place: string): string => `steward-entries-columns-${place}`;

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

const frozenIn = (kept: object): number =>
  'frozen' in kept && Number.isInteger(kept.frozen)
    ? Math.max(1, Math.min(MOST_FROZEN, Number(kept.frozen)))
    : 1;

/** Reads what was kept; whatever does not make sense is left out. */
export function readChoice(text: string | null): ColumnChoice | undefined {
  if (text === null) return undefined;
  try {
    const kept: unknown = JSON.parse(text);
    if (typeof kept !== 'object' || kept === null) return undefined;
    const widths =
      'widths' in kept && typeof kept.widths === 'object' && kept.widths !== null ? kept.widths : {};
    return {
      hidden: 'hidden' in kept ? texts(kept.hidden) : [],
      order: 'order' in kept ? texts(kept.order) : [],
      widths: Object.fromEntries(
        Object.entries(widths).filter(
          (pair): pair is [string, number] => typeof pair[1] === 'number' && pair[1] > 0,
        ),
      ),
      frozen: frozenIn(kept),
    };
  } catch {
    return undefined;
  }
}

type Kept = Readonly<Record<string, ColumnChoice | undefined>>;

const choices = createStore<Kept>({});

/** The columns as this person had them last in this browser; undefined where they never changed any. */
export function columnChoice(place: string): ColumnChoice | undefined {
  const known = choices.get();
  if (place in known) return known[place];
  const read = readChoice(localStorage.getItem(keyOf(place)));
  // Read once. Nobody has to be told, since nothing has changed.
  Object.assign(known, { [place]: read });
  return read;
}

/** The same, followed while a page shows it. */
export function useColumnChoice(place: string): ColumnChoice | undefined {
  useStore(choices);
  return columnChoice(place);
}

/** Keeps it for the next visit; without a choice the columns are again as they come. */
export function keepColumnChoice(place: string, choice: ColumnChoice | undefined): void {
  if (choice) localStorage.setItem(keyOf(place), JSON.stringify(choice));
  else localStorage.removeItem(keyOf(place));
  choices.set({ ...choices.get(), [place]: choice });
}
