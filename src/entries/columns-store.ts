import { createStore, useStore } from '../ui/store.ts';

/** How somebody has the columns of a type, by apiName. */
export interface ColumnChoice {
  hidden: readonly string[];
  /** Columns that were moved come first, in this order; the others follow as the schema has them. */
  order: readonly string[];
  widths: Readonly<Record<string, number>>;
}

const NOTHING: ColumnChoice = { hidden: [], order: [], widths: {} };
const keyOf = (typeId: number): string => `steward-entries-columns-${typeId}`;

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** Reads what was kept; whatever does not make sense is left out. */
export function readChoice(text: string | null): ColumnChoice {
  if (text === null) return NOTHING;
  try {
    const kept: unknown = JSON.parse(text);
    if (typeof kept !== 'object' || kept === null) return NOTHING;
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
    };
  } catch {
    return NOTHING;
  }
}

const choices = createStore<Readonly<Record<number, ColumnChoice>>>({});

/** The columns of a type as this person had them last in this browser. */
export function useColumnChoice(typeId: number): ColumnChoice {
  const known = useStore(choices)[typeId];
  if (known) return known;
  const read = readChoice(localStorage.getItem(keyOf(typeId)));
  // Read once. Nobody has to be told, since nothing has changed.
  Object.assign(choices.get(), { [typeId]: read });
  return read;
}

/** Keeps it for the next visit. */
export function keepColumnChoice(typeId: number, choice: ColumnChoice): void {
  localStorage.setItem(keyOf(typeId), JSON.stringify(choice));
  choices.set({ ...choices.get(), [typeId]: choice });
}
