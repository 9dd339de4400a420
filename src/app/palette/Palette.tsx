import { useRouter } from '@tanstack/react-router';
import { Search, CircleUserRound, Keyboard, Monitor, Moon, PanelLeft, Sun } from 'lucide-react';
import { useState, useDeferredValue } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
  Text,
} from 'react-aria-components';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import type { PaletteItem } from './registry.ts';
import { useSession } from '../../api/session.ts';
import { rank } from '../../lib/rank.ts';
import { setTheme } from '../../ui/theme.ts';
import { isOffered, reasonClosed } from '../shell/area-needs.ts';
import { AREAS } from '../shell/areas.ts';
import { navFolded, setNavFolded } from '../shell/nav-folded.ts';
import { openOverlay } from '../shell/overlay.ts';
import { usePaletteActions, usePaletteSources } from './registry.ts';
import '../../ui/dialog/dialog.css';
import './palette.css';

/** One field for everything: pages, actions, people (look, "one search that is also the palette"). */
export default function Palette({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const [typed, setTyped] = useState('');
  const { sections, searching } = usePaletteSections(typed, (to) => void router.navigate({ to }));
  const choose = (item: PaletteItem) => {
    onClose();
    item.run();
  };

  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={onClose}>
      <Modal className="palette">
        <Dialog aria-label="Search and commands" className="palette-inner">
          <Autocomplete inputValue={typed} onInputChange={setTyped}>
            <SearchField
              aria-label="Search people, pages, actions"
              className="palette-field"
              // Typing is what the palette was opened for.
              // oxlint-disable-next-line jsx-a11y/no-autofocus
              autoFocus
            >
              <Search />
              <Input placeholder="Search people, pages, actions" />
            </SearchField>
            {/* The focus stays in the field; a stop of its own lets the keyboard scroll the list. */}
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
            <section className="palette-list" aria-label="Results" tabIndex={0}>
              <Menu
                aria-label="Results"
                renderEmptyState={() => (
                  <p className="palette-empty">{searching ? 'Searching' : `Nothing found for “${typed}”`}</p>
                )}
              >
                {sections.map(({ name, items }) => (
                  <MenuSection key={name} aria-label={name}>
                    <Header className="palette-heading">{name}</Header>
                    {items.map((item) => (
                      <Line
                        key={item.label + (item.hint ?? '')}
                        item={item}
                        section={name}
                        onChoose={choose}
                      />
                    ))}
                  </MenuSection>
                ))}
              </Menu>
            </section>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

interface LineProps {
  item: PaletteItem;
  section: string;
  onChoose: (item: PaletteItem) => void;
}

function Line({ item, section, onChoose }: LineProps) {
  const { label, hint, icon: Icon } = item;
  return (
    <MenuItem
      id={`${section} ${label} ${hint ?? ''}`}
      className="palette-item"
      textValue={label}
      onAction={() => onChoose(item)}
    >
      {Icon && <Icon />}
      <Text slot="label" className="palette-label">
        {label} {hint !== undefined && <span className="palette-hint">{hint}</span>}
      </Text>
    </MenuItem>
  );
}

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
function usePaletteSections(
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
