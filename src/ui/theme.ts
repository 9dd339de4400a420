import { createStore, useStore } from './store.ts';

export type Theme = 'system' | 'light' | 'dark';
export type Density = 'compact' | 'regular' | 'comfortable';

// The same two keys are read by public/theme.js before the first paint.
const THEME_KEY = 'steward-theme';
const DENSITY_KEY = 'steward-density';

const prefersDark = matchMedia('(prefers-color-scheme: dark)');

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

function paint() {
  const theme = themeStore.get();
  const dark = theme === 'dark' || (theme === 'system' && prefersDark.matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  document.documentElement.dataset.density = densityStore.get();
}

// The system may have changed since public/theme.js looked: this part of the console comes later on some pages.
paint();
prefersDark.addEventListener('change', paint);
addEventListener('storage', (event) => {
  if (event.key === THEME_KEY) themeStore.set(readTheme());
  if (event.key === DENSITY_KEY) densityStore.set(readDensity());
  paint();
});

export function useTheme(): Theme {
  return useStore(themeStore);
}

/** Keeps the choice in this browser and shows it at once, in other open tabs too. */
export function setTheme(theme: Theme) {
  localStorage.setItem(THEME_KEY, theme);
  themeStore.set(theme);
  paint();
}

export function useDensity(): Density {
  return useStore(densityStore);
}

/** Keeps the row height in this browser and shows it at once. */
export function setDensity(density: Density) {
  localStorage.setItem(DENSITY_KEY, density);
  densityStore.set(density);
  paint();
}
