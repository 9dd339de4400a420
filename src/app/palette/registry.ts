import type { LucideIcon } from 'lucide-react';
import { useEffect } from 'react';
import { createStore, useStore } from '../../ui/store.ts';

/** A line of the palette. */
export interface PaletteItem {
  label: string;
  hint?: string | undefined;
  icon?: LucideIcon | undefined;
  run: () => void;
}

/** A kind of thing the palette can find: people, later entries. */
export interface PaletteSource {
  /** The heading of what it finds. */
  name: string;
  find: (typed: string, signal: AbortSignal) => Promise<readonly PaletteItem[]>;
}

const actions = createStore<readonly PaletteItem[]>([]);
const sources = createStore<readonly PaletteSource[]>([]);

export const usePaletteActions = (): readonly PaletteItem[] => useStore(actions);
export const usePaletteSources = (): readonly PaletteSource[] => useStore(sources);

/** Adds a kind of thing to find, for as long as the page lives; the same name again takes its place. */
export function registerPaletteSource(source: PaletteSource): void {
  sources.set([...sources.get().filter(({ name }) => name !== source.name), source]);
}

/** Offers actions in the palette while the component is on the page; the list is a constant, or memoised. */
export function useOfferActions(items: readonly PaletteItem[]): void {
  useEffect(() => {
    actions.set([...actions.get(), ...items]);
    return () => actions.set(actions.get().filter((item) => !items.includes(item)));
  }, [items]);
}
