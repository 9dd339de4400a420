import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { CircleUserRound, Keyboard, Monitor, Moon, PanelLeft, Sun } from 'lucide-react';
import { useDeferredValue } from 'react';
import { useSession } from '../../api/session.ts';
import { rank } from '../../lib/rank.ts';
import { setTheme } from '../../ui/theme.ts';
import { isOffered, reasonClosed } from '../area-needs.ts';
import { AREAS } from '../areas.ts';
import { navFolded, setNavFolded } from '../nav-folded.ts';
import { openOverlay } from '../overlay.ts';
import { usePaletteActions, usePaletteSources } from './registry.ts';
import type { PaletteItem } from './registry.ts';

interface Section {
  name: string;
  items: readonly PaletteItem[];
}

const EVERYWHERE: readonly PaletteItem[] = [
  { label: 'Keyboard shortcuts', icon: Keyboard, run: () => openOverlay('keys') },
  { label: 'Fold or unfold the navigation', icon: PanelLeft, run: () => setNavFolded(!navFolded.get()) },
  { label: 'Light theme', icon: Sun, run: () => setTheme('light') },
  { label: 'Dark theme', icon: Moon, run: () => setTheme('dark') },
  { label: 'Theme of the system', icon: Monitor, run: () => setTheme('system') },
];
const FROM_LETTERS = 2;
const MOST = 8;

/** What the palette shows for what was typed: found things first, then actions of the page, then pages. */
export function usePaletteSections(
  typed: string,
  go: (path: string) => void,
): { sections: Section[]; searching: boolean } {
  const session = useSession();
  const actions = usePaletteActions();
  const sources = usePaletteSources();
  const wanted = useDeferredValue(typed.trim());
  const found = useQueries({
    queries: sources.map(({ name, find }) => ({
      queryKey: [{ _id: 'palette', name, wanted }],
      queryFn: ({ signal }: { signal: AbortSignal }) => find(wanted, signal),
      enabled: wanted.length >= FROM_LETTERS,
      placeholderData: keepPreviousData,
    })),
  });

  const pages = AREAS.filter(({ path }) => isOffered(session, path)).map(({ name, path, icon, key }) => ({
    label: name,
    icon,
    hint: reasonClosed(session, path) ?? `g ${key}`,
    run: () => go(path),
  }));
  const profile = { label: 'Your profile', icon: CircleUserRound, run: () => go('/profile') };
  const things = sources.map(({ name }, at) => ({
    name,
    items: wanted.length >= FROM_LETTERS ? (found[at]?.data?.slice(0, MOST) ?? []) : [],
  }));
  const sections = [
    ...things,
    { name: 'Actions', items: rank(actions, typed) },
    { name: 'Pages', items: rank([...pages, profile], typed) },
    { name: 'Appearance and help', items: rank(EVERYWHERE, typed) },
  ];
  return {
    sections: sections.filter(({ items }) => items.length > 0),
    searching: found.some(({ isFetching }) => isFetching),
  };
}
