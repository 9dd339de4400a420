import {
  Download,
  FileUp,
  GitMerge,
  History,
  ListFilter,
  ListTree,
  Plus,
  Search,
  Trash2,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { EntryTypeVm, FoundEntry, NamedEntryVm } from '../../../contract/generated/types.gen.ts';
import type {
  PaletteContext,
  PaletteContribution,
  PaletteItem,
  PaletteResults,
  TargetCommand,
} from '../../app/state/palette.ts';
import { requestAction } from '../../app/state/requested-action.ts';
import { formatShortDate } from '../../lib/dates/dates.ts';
import { pluralize } from '../../lib/numbers.ts';
import { toSearchValue } from '../../lib/search-params.ts';
import { readPastedTokens } from '../../lib/text/pasted-tokens.ts';
import { rankByLabel } from '../../lib/text/rank.ts';

const MAX_TYPES = 6;
const MAX_ENTRIES = 8;
/** Types in which a search for the text is offered. */
const MAX_SEARCHED_TYPES = 3;
/** Limits of one lookup of a pasted text. */
const MAX_PASTED_IDS = 1000;
const MAX_PASTED_NAMES = 200;
const MAX_PASTED_LISTED = 20;
const MAX_ID = 2_147_483_647;
const ENTRY_ID = /^(?:entry[\s:#]*)?([1-9]\d{0,9})$/i;

// Calls are loaded with the first search: their code is a part of the chunk that the pages of entries share.
async function loadTypes({ client }: PaletteContext): Promise<EntryTypeVm[]> {
  const { listEntryTypesOptions } = await import('../../api/generated/queries/schema.gen.ts');
  return client.ensureQueryData(listEntryTypesOptions());
}

async function findTypes(typed: string, context: PaletteContext) {
  const types = await loadTypes(context);
  const found = rankByLabel(
    types.flatMap((type) => [
      { type, label: type.pluralName },
      { type, label: type.singularName },
      { type, label: type.apiName },
    ]),
    typed,
  );
  return [...new Set(found.map(({ type }) => type))];
}

interface TypeCommand extends Pick<TargetCommand, 'phrases' | 'label' | 'needs'> {
  icon: LucideIcon;
  format: (type: EntryTypeVm) => string;
  run: (type: EntryTypeVm, context: PaletteContext) => void;
}

const openPage =
  (to: '/entries/$type/import' | '/entries/$type/schema' | '/entries/$type/past' | '/entries/$type/merge') =>
  ({ apiName }: EntryTypeVm, { navigate }: PaletteContext) =>
    void navigate({ to, params: { type: apiName } });

async function openNewEntry({ id, apiName }: EntryTypeVm, { navigate }: PaletteContext): Promise<void> {
  const { newEntryTypeId } = await import('./editing/editor/new-entry.ts');
  await navigate({ to: '/entries/$type', params: { type: apiName } });
  newEntryTypeId.set(id);
}

const TYPE_COMMANDS: readonly TypeCommand[] = [
  {
    phrases: ['new', 'create'],
    label: 'New entry',
    icon: Plus,
    needs: 'updateEntries',
    format: ({ singularName }) => `New ${singularName}`,
    run: (type, context) => void openNewEntry(type, context),
  },
  {
    phrases: ['import into', 'import'],
    label: 'Import entries',
    icon: FileUp,
    needs: 'startEntryImport',
    format: ({ pluralName }) => `Import ${pluralName}`,
    run: openPage('/entries/$type/import'),
  },
  {
    phrases: ['export'],
    label: 'Export entries',
    icon: Download,
    needs: 'startEntryExport',
    format: ({ pluralName }) => `Export ${pluralName}`,
    run: ({ id, apiName }, { navigate }) =>
      void requestAction({ name: 'exportEntries', id }, () =>
        navigate({ to: '/entries/$type', params: { type: apiName } }),
      ),
  },
  {
    phrases: ['schema of', 'schema', 'fields of'],
    label: 'Schema of an entry type',
    icon: ListTree,
    needs: 'listFields',
    format: ({ pluralName }) => `Schema of ${pluralName}`,
    run: openPage('/entries/$type/schema'),
  },
  {
    phrases: ['as of', 'past'],
    label: 'Entries as of a date',
    icon: History,
    needs: 'queryRowsAsOf',
    format: ({ pluralName }) => `${pluralName} as of a date`,
    run: openPage('/entries/$type/past'),
  },
  {
    phrases: ['merge'],
    label: 'Merge duplicates',
    icon: GitMerge,
    needs: 'mergeEntries',
    format: ({ pluralName }) => `Merge duplicates in ${pluralName}`,
    run: openPage('/entries/$type/merge'),
  },
];

const toTargetCommand = ({ format, run, ...command }: TypeCommand): TargetCommand => ({
  ...command,
  find: async (target, context) =>
    (await findTypes(target, context)).slice(0, MAX_TYPES).map((type) => ({
      id: String(type.id),
      label: format(type),
      icon: command.icon,
      run: () => run(type, context),
    })),
});

const formatName = ({ id, name }: { id: number; name: string }): string =>
  name.trim() === '' ? `Entry ${id}` : name;

type TypesById = ReadonlyMap<number, EntryTypeVm>;

const mapById = (types: readonly EntryTypeVm[]): TypesById => new Map(types.map((type) => [type.id, type]));

function toEntryItem(entry: NamedEntryVm, types: TypesById, { navigate }: PaletteContext): PaletteItem {
  const { id, entryListId } = entry;
  const type = types.get(entryListId);
  return {
    id: String(id),
    label: formatName(entry),
    hint: `${type?.singularName ?? 'Entry'} ${id}`,
    type: type ?? { id: entryListId },
    run: () =>
      void navigate({ to: '/entries/$type/$entryId', params: { type: String(entryListId), entryId: id } }),
  };
}

/**
 * What an entry id leads to: the entry; for a merged one first the entry that holds its values today, then its own page,
 * which names who merged it.
 */
function toItemsOfId(entry: FoundEntry, types: TypesById, context: PaletteContext): PaletteItem[] {
  const item = toEntryItem(entry, types, context);
  if (!entry.isDeleted) return [item];
  const { survivor, deleted } = entry;
  const when = deleted === undefined ? '' : ` ${formatShortDate(deleted)}`;
  if (!survivor) return [{ ...item, icon: Trash2, badge: { text: `Deleted${when}`, tone: 'bad' } }];
  const own: PaletteItem = { ...item, icon: GitMerge, badge: { text: `Merged${when}`, tone: 'info' } };
  const heir = toEntryItem(survivor, types, context);
  const badge: PaletteItem['badge'] = survivor.isDeleted
    ? { text: 'Deleted since', tone: 'bad' }
    : { text: `${entry.id} was merged into it${when}`, tone: 'info' };
  return [{ ...heir, badge }, own];
}

/** Entries of which a pasted text holds the id or the whole name, with a list of those of each type. */
async function findPastedEntries(text: string, context: PaletteContext): Promise<PaletteResults> {
  const { cells, ids } = readPastedTokens(text);
  const names = cells.filter((cell) => !/^\d+$/.test(cell)).slice(0, MAX_PASTED_NAMES);
  if (ids.length + names.length === 0) return { items: [] };
  const { findEntries } = await import('../../api/generated/sdk/entry-history.gen.ts');
  const [types, { data }] = await Promise.all([
    loadTypes(context),
    findEntries({ body: { ids: ids.slice(0, MAX_PASTED_IDS), names, limit: 5 }, signal: context.signal }),
  ]);
  const typesById = mapById(types);
  const byId = new Map(data.entries.map((entry) => [entry.id, entry]));
  const named = data.named.filter(({ id }) => !byId.has(id));
  const current = [...data.entries.filter(({ isDeleted }) => !isDeleted), ...named];
  const lists = [...Map.groupBy(current, ({ entryListId }) => entryListId)].flatMap(([typeId, entries]) => {
    const type = types.find(({ id }) => id === typeId);
    const query = { EntryId: { $in: entries.map(({ id }) => id) } };
    return type && entries.length > 1
      ? {
          id: `list ${typeId}`,
          label: `Show ${entries.length} ${type.pluralName} in their list`,
          icon: ListFilter,
          run: () =>
            void context.navigate({
              to: '/entries/$type',
              params: { type: type.apiName },
              search: { query },
            }),
        }
      : [];
  });
  return {
    items: [
      ...lists,
      ...data.entries.flatMap((entry) => toItemsOfId(entry, typesById, context)).slice(0, MAX_PASTED_LISTED),
      ...named.slice(0, MAX_PASTED_LISTED).map((entry) => toEntryItem(entry, typesById, context)),
    ],
    total: data.entries.length + named.length,
  };
}

const palette: PaletteContribution = {
  pages: [
    {
      label: 'New type from a file',
      hint: 'Entry types',
      icon: FileUp,
      href: '/entries/from-file',
      needs: 'createEntryType',
    },
  ],
  pasteSources: [{ name: 'Entries', needs: 'findEntries', find: findPastedEntries }],
  commands: TYPE_COMMANDS.map(toTargetCommand),
  sources: [
    {
      name: 'Entries',
      needs: 'findEntries',
      async find(typed, context) {
        const { findEntries } = await import('../../api/generated/sdk/entry-history.gen.ts');
        const id = Number(ENTRY_ID.exec(typed)?.[1]);
        const [types, { data }] = await Promise.all([
          loadTypes(context),
          findEntries({
            body: {
              ...(id <= MAX_ID && { ids: [id] }),
              startsWith: typed.slice(0, 200),
              limit: MAX_ENTRIES + 1,
            },
            signal: context.signal,
          }),
        ]);
        const typesById = mapById(types);
        const items = [
          ...data.entries.flatMap((entry) => toItemsOfId(entry, typesById, context)),
          ...data.starting
            .filter((entry) => entry.id !== id)
            .slice(0, MAX_ENTRIES)
            .map((entry) => toEntryItem(entry, typesById, context)),
        ];
        return { items, hasMore: data.starting.length > MAX_ENTRIES };
      },
    },
    {
      name: 'Entry types',
      needs: 'listEntryTypes',
      async find(typed, context) {
        const found = await findTypes(typed, context);
        return {
          items: found.slice(0, MAX_TYPES).map((type) => ({
            id: String(type.id),
            label: type.pluralName,
            hint: type.entryCount === undefined ? undefined : pluralize(type.entryCount, 'entry', 'entries'),
            type,
            run: () => void context.navigate({ to: '/entries/$type', params: { type: type.apiName } }),
          })),
          total: found.length,
        };
      },
    },
    {
      name: 'Search in entries',
      isLast: true,
      needs: 'queryRowsByBody',
      async find(typed, context) {
        const types = (await loadTypes(context)).toSorted(
          (a, b) => (b.entryCount ?? 0) - (a.entryCount ?? 0),
        );
        return {
          items: types.slice(0, MAX_SEARCHED_TYPES).map(({ id, apiName, pluralName, entryCount = 0 }) => ({
            id: String(id),
            label: `Search ${pluralName} for “${typed}”`,
            hint: pluralize(entryCount, 'entry', 'entries'),
            icon: Search,
            run: () =>
              void context.navigate({
                to: '/entries/$type',
                params: { type: apiName },
                search: { q: toSearchValue(typed) },
              }),
          })),
        };
      },
    },
  ],
};

export default palette;
