import { saveLocally } from '../../lib/local-storage.ts';
import { createStore, useStore } from '../store.ts';

export type Theme = 'system' | 'light' | 'dark';
export type Density = 'compact' | 'regular' | 'comfortable';

// public/theme.js reads the same keys before the first paint.
const THEME_KEY = 'steward-theme';
const DENSITY_KEY = 'steward-density';

const prefersDarkQuery = matchMedia('(prefers-color-scheme: dark)');

const themeStore = createStore<Theme>(readTheme());
const densityStore = createStore<Density>(readDensity());

function readTheme(): Theme {
  const stored = localStorage.getItem(THEME_KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

function readDensity(): Density {
  const stored = localStorage.getItem(DENSITY_KEY);
  return stored === 'compact' || stored === 'comfortable' ? stored : 'regular';
}

function applyToDocument() {
  const theme = themeStore.get();
  const dark = theme === 'dark' || (theme === 'system' && prefersDarkQuery.matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  document.documentElement.dataset.density = densityStore.get();
}

// The system theme may have changed since public/theme.js ran, because some pages load this module later.
applyToDocument();
prefersDarkQuery.addEventListener('change', applyToDocument);
addEventListener('storage', (event) => {
  if (event.key === THEME_KEY) themeStore.set(readTheme());
  if (event.key === DENSITY_KEY) densityStore.set(readDensity());
  applyToDocument();
});

export function useTheme(): Theme {
  return useStore(themeStore);
}

/** Stores and applies the theme, also in other open tabs. */
export function setTheme(theme: Theme) {
  saveLocally(THEME_KEY, theme);
  themeStore.set(theme);
  applyToDocument();
}

export function useDensity(): Density {
  return useStore(densityStore);
}

/** Applies the row height of one table, without storing it; the returned function applies the stored one again. */
export function overrideDensity(density: Density | undefined): () => void {
  const apply = (next: Density) => {
    densityStore.set(next);
    applyToDocument();
  };
  apply(density ?? readDensity());
  return () => apply(readDensity());
}

/** Stores and applies the row height. */
export function setDensity(density: Density) {
  saveLocally(DENSITY_KEY, density);
  densityStore.set(density);
  applyToDocument();
}
