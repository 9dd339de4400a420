import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import {
  CircleHelp,
  Search,
  CircleUserRound,
  History,
  Keyboard,
  Monitor,
  Moon,
  PanelLeft,
  Sun,
} from 'lucide-react';
import { useState, useDeferredValue, useEffect } from 'react';
import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Dialog } from 'react-aria-components/Dialog';
import { Header } from 'react-aria-components/Header';
import { Input } from 'react-aria-components/Input';
import { Menu, MenuItem, MenuSection } from 'react-aria-components/Menu';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { SearchField } from 'react-aria-components/SearchField';
import { Text } from 'react-aria-components/Text';
import { CAPABILITIES } from '../../api/capabilities.gen.ts';
import { getPermission, useSession, hasAnyCapability } from '../../api/session.ts';
import { formatNumber, pluralize } from '../../lib/numbers.ts';
import { matchPhrases } from '../../lib/text/command-phrases.ts';
import { rankByLabel } from '../../lib/text/rank.ts';
import { Avatar } from '../../ui/layout/Avatar.tsx';
import { Badge } from '../../ui/layout/Badge.tsx';
import { TypeTile } from '../../ui/layout/TypeTile.tsx';
import { setTheme } from '../../ui/style/theme.ts';
import { closedReason, isListed } from '../area/collect-areas.ts';
import { registry } from '../registry.ts';
import { isNavigationFolded, setNavigationFolded } from '../state/navigation.ts';
import { openOverlay } from '../state/overlay.ts';
import type {
  PaletteContext,
  PaletteContribution,
  PaletteItem,
  PaletteResults,
  PaletteSource,
} from '../state/palette.ts';
import { isPastedList, pastedText, usePaletteActions } from '../state/palette.ts';
import { getRecentPages } from '../state/recent-pages.ts';
import '../../ui/dialog/dialog.css';
import './palette.css';

/** Command palette: people, entries, pages and commands with their target in one field. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const [pasted, setPasted] = useState(getPastedList);
  const [typed, setTyped] = useState(getPastedSearch);
  // Only once it is shown: a first rendering that waits for code is repeated.
  useEffect(() => pastedText.set(undefined), []);
  const { sections, searching } = usePaletteSections(typed, pasted);
  const type = (text: string) => {
    setTyped(text);
    if (text !== '') setPasted(undefined);
  };
  const choose = ({ run }: PaletteItem) => {
    if (typeof run === 'object') type(run.fills);
    else {
      onClose();
      run();
    }
  };

  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={onClose}>
      <Modal className="palette">
        <Dialog aria-label="Search and commands" className="palette-inner">
          <Autocomplete inputValue={typed} onInputChange={type}>
            <SearchField
              aria-label="Search people, entries, pages, actions"
              className="palette-field"
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- the palette is opened to type
              autoFocus
            >
              <Search />
              <Input
                placeholder={
                  pasted === undefined ? 'Search people, entries, pages, actions' : describePasted(pasted)
                }
                onPaste={(event) => {
                  const text = event.clipboardData.getData('text/plain');
                  if (!isPastedList(text)) return;
                  event.preventDefault();
                  setTyped('');
                  setPasted(text);
                }}
              />
            </SearchField>
            {/* Focusable, so that the keyboard can scroll the list while the focus is otherwise in the field. */}
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above */}
            <section className="palette-list" aria-label="Results" tabIndex={0}>
              <Menu
                aria-label="Results"
                renderEmptyState={() => (
                  <p className="palette-empty">
                    {searching
                      ? 'Searching'
                      : pasted === undefined
                        ? `Nothing found for “${typed}”`
                        : 'Nothing recognized in the pasted text'}
                  </p>
                )}
              >
                {sections.map(({ name, items, count }) => (
                  <MenuSection key={name} aria-label={name}>
                    <Header className="palette-heading">
                      {name} {count !== undefined && <span className="palette-count num">{count}</span>}
                    </Header>
                    {items.map((item) => (
                      <PaletteRow key={getItemKey(item)} item={item} section={name} onChoose={choose} />
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

/** The pasted text with which the palette was opened, if it is a list. */
const getPastedList = (): string | undefined => {
  const text = pastedText.get();
  return text !== undefined && isPastedList(text) ? text : undefined;
};

/** The pasted text with which the palette was opened, if it is a search. */
function getPastedSearch(): string {
  const text = pastedText.get() ?? '';
  return isPastedList(text) ? '' : text.trim();
}

const describePasted = (text: string): string =>
  `Recognized in ${pluralize(text.trim().split(/\r?\n/).length, 'pasted line', 'pasted lines')}; type to search`;

interface LineProps {
  item: PaletteItem;
  section: string;
  onChoose: (item: PaletteItem) => void;
}

const getItemKey = ({ id = '', label, hint = '' }: PaletteItem): string => `${id} ${label} ${hint}`;

function PaletteRow({ item, section, onChoose }: LineProps) {
  const { label, hint, icon: Icon, personId, type, badge } = item;
  return (
    <MenuItem
      id={`${section} ${getItemKey(item)}`}
      className="palette-item"
      textValue={label}
      onAction={() => onChoose(item)}
    >
      {Icon && <Icon />}
      {type && !Icon && <TypeTile type={type} size="small" />}
      {personId !== undefined && !Icon && <Avatar name={label} id={personId} isDrawn />}
      <Text slot="label" className="palette-label">
        <bdi>{label}</bdi> {badge && <Badge tone={badge.tone}>{badge.text}</Badge>}{' '}
        {hint !== undefined && <span className="palette-hint">{hint}</span>}
      </Text>
    </MenuItem>
  );
}

interface Section {
  name: string;
  items: readonly PaletteItem[];
  /** Number of all matches, such as "8" or "8+"; undefined where it says nothing. */
  count?: string | undefined;
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
const NO_CONTRIBUTIONS: readonly PaletteContribution[] = [];

const toPlainSection = (name: string, items: readonly PaletteItem[]): Section => ({ name, items });

/** Number of the matches of a section, if there may be more than its items. */
const formatCount = ({ items, total, hasMore }: PaletteResults): string | undefined => {
  if (total !== undefined) return formatNumber(total);
  return hasMore === undefined ? undefined : `${formatNumber(items.length)}${hasMore ? '+' : ''}`;
};

/** Loads what the areas add to the palette; their code is a part of the chunk of the palette. */
const contributionsQuery = {
  queryKey: [{ _id: 'paletteContributions' }],
  queryFn: () =>
    Promise.all(
      registry.areas.flatMap(({ palette }) => (palette ? [palette().then((module) => module.default)] : [])),
    ),
  staleTime: Infinity,
};

/** Searches the sources of the areas and the commands that the text begins with; what is found in each, in order. */
function useFoundSections(
  query: string,
  pasted: string | undefined,
  contributions: readonly PaletteContribution[],
): { first: Section[]; last: Section[]; searching: boolean } {
  const session = useSession();
  const client = useQueryClient();
  const router = useRouter();
  const isAllowed = ({ needs }: { needs?: PaletteSource['needs'] }) =>
    needs === undefined || getPermission(session, needs).allowed;
  const commands = contributions.flatMap(({ commands: own = [] }) => own.filter(isAllowed));
  const matched = commands.flatMap(({ label, phrases, find }) => {
    const target = matchPhrases(query, phrases);
    return target === undefined
      ? []
      : { name: label, find: (context: PaletteContext) => find(target, context) };
  });
  const sources = contributions.flatMap(({ sources: typedSources = [], pasteSources = [] }) =>
    (pasted === undefined ? typedSources : pasteSources).filter(isAllowed),
  );
  const text = pasted ?? query;
  const isShown = pasted !== undefined || query.length >= MIN_SEARCH_LENGTH;
  const results = useQueries({
    queries: [
      ...matched.map(({ name, find }) => ({
        name,
        find: async (context: PaletteContext): Promise<PaletteResults> => ({ items: await find(context) }),
      })),
      ...sources.map(({ name, find }) => ({ name, find: (context: PaletteContext) => find(text, context) })),
    ].map(({ name, find }) => ({
      queryKey: [{ _id: 'palette', name, text, isPasted: pasted !== undefined }],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        find({ client, session, signal, navigate: (options) => router.navigate(options) }),
      enabled: isShown,
      // No results of the text before: the list must be empty in between, so that its first item gets the focus.
      // A source that does not answer must not hide the others.
      retry: false,
      staleTime: 0,
      gcTime: 60_000,
    })),
  });
  const found = results.slice(0, matched.length).flatMap(({ data }) => data?.items ?? []);
  const sections = sources.map(({ name, isLast }, at) => {
    const data = results[matched.length + at]?.data;
    return { name, isLast, items: data?.items ?? [], count: data && formatCount(data) };
  });
  const searching = isShown && results.some(({ isFetching }) => isFetching);
  return {
    first: isShown ? [toPlainSection('Commands', found), ...sections.filter(({ isLast }) => !isLast)] : [],
    last: isShown && !searching ? sections.filter(({ isLast }) => isLast) : [],
    searching,
  };
}

/** Returns the sections for a typed text: commands with their target, search results, then actions and pages. */
function usePaletteSections(
  typed: string,
  pasted: string | undefined,
): { sections: Section[]; searching: boolean } {
  const session = useSession();
  const router = useRouter();
  const actions = usePaletteActions();
  const { data: contributions = NO_CONTRIBUTIONS } = useQuery(contributionsQuery);
  const query = useDeferredValue(typed.trim());
  const found = useFoundSections(query, pasted, contributions);
  const go = (href: string) => void router.navigate({ href });

  const pages = registry.entries
    .filter((entry) => isListed(session, entry))
    .map((entry) => ({
      label: entry.name,
      icon: entry.icon,
      hint: closedReason(session, entry) ?? `g ${entry.key}`,
      run: () => go(entry.path),
    }));
  const subpages = contributions
    .flatMap(({ pages: own = [] }) => own)
    .filter(({ needs }) => needs === undefined || getPermission(session, needs).allowed)
    .filter(({ isListed: isForUser }) => isForUser?.(session) ?? true)
    .map(({ href, ...page }) => ({ ...page, run: () => go(href) }));
  const commands = registry.commands
    .filter(({ needs }) => hasAnyCapability(session, CAPABILITIES[needs]))
    .map(({ label, icon, to }) => ({ label, icon, run: () => go(to) }));
  const profile = { label: 'Your profile', icon: CircleUserRound, run: () => go('/profile') };
  const isEmpty = typed.trim() === '';
  const targetCommands = contributions
    .flatMap(({ commands: own = [] }) => own)
    .filter(({ needs }) => getPermission(session, needs).allowed)
    .map(({ label, icon, phrases: [phrase] }) => ({
      label: `${label}…`,
      icon,
      run: { fills: `${phrase} ` },
    }));
  const recent = getRecentPages(router.state.location.pathname).map(({ title, kind, path }) => ({
    id: path,
    label: title,
    hint: kind,
    icon: History,
    run: () => go(path),
  }));
  if (pasted !== undefined)
    return {
      sections: found.first.filter(({ items }) => items.length > 0),
      searching: found.searching,
    };
  const sections = [
    toPlainSection('Recent', isEmpty ? recent : []),
    ...found.first,
    toPlainSection(
      'Actions',
      rankByLabel([...commands, ...actions, ...(isEmpty ? [] : targetCommands)], typed),
    ),
    toPlainSection('Pages', rankByLabel([...pages, profile, ...(isEmpty ? [] : subpages)], typed)),
    toPlainSection('Appearance and help', rankByLabel(GENERAL_ITEMS, typed)),
  ];
  const isFound = sections.some(({ items }) => items.length > 0);
  return {
    sections: (isFound ? sections : found.last).filter(({ items }) => items.length > 0),
    searching: found.searching,
  };
}
