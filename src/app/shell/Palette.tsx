import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { CircleHelp, Search, CircleUserRound, Keyboard, Monitor, Moon, PanelLeft, Sun } from 'lucide-react';
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
import { CAPABILITIES } from '../../api/capabilities.gen.ts';
import { useSession, hasAnyCapability } from '../../api/session.ts';
import { rankByLabel } from '../../lib/rank.ts';
import { setTheme } from '../../ui/theme.ts';
import { closedReason, isListed } from '../area/collect-areas.ts';
import { registry } from '../registry.ts';
import { isNavigationFolded, setNavigationFolded } from '../state/navigation.ts';
import { openOverlay } from '../state/overlay.ts';
import type { PaletteItem } from '../state/palette.ts';
import { usePaletteActions, usePaletteSources } from '../state/palette.ts';
import '../../ui/dialog/dialog.css';
import './palette.css';

/** Command palette: search for pages, actions and people in one field. */
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
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- the palette is opened to type
              autoFocus
            >
              <Search />
              <Input placeholder="Search people, pages, actions" />
            </SearchField>
            {/* Focusable, so that the keyboard can scroll the list while the focus is otherwise in the field. */}
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above */}
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
                      <PaletteRow
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

function PaletteRow({ item, section, onChoose }: LineProps) {
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

const GENERAL_ITEMS: readonly PaletteItem[] = [
  { label: 'Help for this page', icon: CircleHelp, run: () => openOverlay('help') },
  { label: 'Keyboard shortcuts', icon: Keyboard, run: () => openOverlay('keys') },
  {
    label: 'Collapse or expand the navigation',
    icon: PanelLeft,
    run: () => setNavigationFolded(!isNavigationFolded.get()),
  },
  { label: 'Light theme', icon: Sun, run: () => setTheme('light') },
  { label: 'Dark theme', icon: Moon, run: () => setTheme('dark') },
  { label: 'System theme', icon: Monitor, run: () => setTheme('system') },
];
const MIN_SEARCH_LENGTH = 2;
const MAX_ITEMS_PER_SOURCE = 8;

/** Returns the sections for a typed text: search results first, then actions, then pages. */
function usePaletteSections(
  typed: string,
  go: (path: string) => void,
): { sections: Section[]; searching: boolean } {
  const session = useSession();
  const actions = usePaletteActions();
  const sources = usePaletteSources();
  const query = useDeferredValue(typed.trim());
  const results = useQueries({
    queries: sources.map(({ name, find }) => ({
      queryKey: [{ _id: 'palette', name, query }],
      queryFn: ({ signal }: { signal: AbortSignal }) => find(query, signal),
      enabled: query.length >= MIN_SEARCH_LENGTH,
      placeholderData: keepPreviousData,
    })),
  });

  const pages = registry.entries
    .filter((entry) => isListed(session, entry))
    .map((entry) => ({
      label: entry.name,
      icon: entry.icon,
      hint: closedReason(session, entry) ?? `g ${entry.key}`,
      run: () => go(entry.path),
    }));
  const commands = registry.commands
    .filter(({ needs }) => hasAnyCapability(session, CAPABILITIES[needs]))
    .map(({ label, icon, to }) => ({ label, icon, run: () => go(to) }));
  const profile = { label: 'Your profile', icon: CircleUserRound, run: () => go('/profile') };
  const sourceSections = sources.map(({ name }, at) => ({
    name,
    items: query.length >= MIN_SEARCH_LENGTH ? (results[at]?.data?.slice(0, MAX_ITEMS_PER_SOURCE) ?? []) : [],
  }));
  const sections = [
    ...sourceSections,
    { name: 'Actions', items: rankByLabel([...commands, ...actions], typed) },
    { name: 'Pages', items: rankByLabel([...pages, profile], typed) },
    { name: 'Appearance and help', items: rankByLabel(GENERAL_ITEMS, typed) },
  ];
  return {
    sections: sections.filter(({ items }) => items.length > 0),
    searching: results.some(({ isFetching }) => isFetching),
  };
}
