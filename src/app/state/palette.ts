import type { LucideIcon } from 'lucide-react';
import { useEffect } from 'react';
import { createStore, useStore } from '../../ui/store.ts';

/** An item of the palette. */
export interface PaletteItem {
  label: string;
  hint?: string | undefined;
  icon?: LucideIcon | undefined;
  run: () => void;
}

/** A source of search results, for example people. */
export interface PaletteSource {
  /** Heading of the results. */
  name: string;
  find: (typed: string, signal: AbortSignal) => Promise<readonly PaletteItem[]>;
}

const actions = createStore<readonly PaletteItem[]>([]);
const sources = createStore<readonly PaletteSource[]>([]);

export const usePaletteActions = (): readonly PaletteItem[] => useStore(actions);
export const usePaletteSources = (): readonly PaletteSource[] => useStore(sources);

/** Registers a source; one with the same name is replaced. */
export function registerPaletteSource(source: PaletteSource): void {
  sources.set([...sources.get().filter(({ name }) => name !== source.name), source]);
}

/** Adds actions to the palette while the component is mounted; the list must be constant or memoized. */
export function usePaletteActionsOfPage(items: readonly PaletteItem[]): void {
  useEffect(() => {
    actions.set([...actions.get(), ...items]);
    return () => actions.set(actions.get().filter((item) => !items.includes(item)));
  }, [items]);
}
