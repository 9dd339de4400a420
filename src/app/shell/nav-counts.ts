import { createStore, useStore } from '../../ui/store.ts';

const counts = createStore<Readonly<Record<string, number>>>({});

/** How many things an area holds, where a page has counted them; by the path of the area. */
export const useNavCounts = (): Readonly<Record<string, number>> => useStore(counts);

/** A page that knows the number says it: the interface itself gives no totals (shapes 1, page size). */
export function setNavCount(path: string, value: number): void {
  if (counts.get()[path] !== value) counts.set({ ...counts.get(), [path]: value });
}
