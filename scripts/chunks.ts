/**
 * Chunks of the console: one an area, and layers of what areas share.
 *
 * The static import graph is cut at its lazy roots, the modules that `import()` names (parts of routes included). The
 * label of a root is its area. A module that roots of one label reach belongs to the chunk of that label, any other to
 * the first layer that it fits (`nameChunk`). Since what a module imports is reached by at least the same roots, chunks
 * import each other in one direction only: area, layers from last to first, first load.
 */
import type { Plugin, Rolldown } from 'vite';

type ModuleInfo = Pick<Rolldown.ModuleInfo, 'id' | 'code' | 'importedIds'>;

/** Areas whose first page is a chunk of its own; the rest of the area is loaded when it is opened. */
const FIRST_PAGES: Readonly<Record<string, RegExp>> = {
  users: /\/routes\/_app\/users\/(_list\/)?(index|route)\.tsx/,
  entries: /\/routes\/_app\/entries\/(route|\$type\/(index|route))\.tsx/,
};

/** Areas of a few kilobytes, together one chunk. */
const SMALL_AREAS = new Set([
  'settings',
  'sites',
  'installation',
  'profile',
  'export-history',
  'exports',
  'licenses',
]);

/** Chunks of areas and routes that have another name: the areas of long work are loaded together. */
const CHUNK_NAMES: Readonly<Record<string, string>> = {
  changes: 'entries',
  bulk: 'jobs',
  notifications: 'jobs',
  export: 'jobs',
  import: 'jobs',
  'import-view': 'jobs',
  imports: 'jobs',
};

/**
 * Limits of what the first chunk of an area may need, where it is not as little as the least of its roots: areas that `FIRST_PAGES`
 * divides, and others whose rest is not worth a chunk.
 */
const FIRST_NEEDS: Readonly<Record<string, Needs>> = {
  users: 'forms',
  'users-more': 'forms',
  entries: 'forms',
  'entries-more': 'forms',
  invitations: 'forms',
  'sign-in': 'forms',
  activity: 'popups',
  help: 'popups',
  overlays: 'popups',
  pdf: 'popups',
  proxies: 'popups',
};

/** Lazy roots that every page loads when it has started: saved views, and work in the background. */
const STARTED_WITH_PAGES = [
  'app/views/TableViewsMenu.tsx',
  'app/jobs/legacy-jobs.ts',
  'areas/jobs/model/job-watcher.ts',
  'areas/notifications/announce.ts',
  'areas/entries/editing/persist-changes.ts',
  'areas/publications/model/follow-changes.ts',
];

/** The label of a lazy root, from its path: its area, or the part of the frame that it belongs to. */
function labelRoot(id: string): string {
  const path = id.replaceAll('\\', '/');
  if (STARTED_WITH_PAGES.some((file) => path.endsWith(`/src/${file}`))) return 'start';
  // The palette loads what all areas add to it.
  if (/\/src\/areas\/[a-z-]+\/palette\.ts/.test(path)) return 'overlays';
  const area = /\/src\/(?:areas|routes\/_app)\/([a-z-]+)\//.exec(path)?.[1];
  if (area !== undefined) {
    const name = CHUNK_NAMES[area] ?? area;
    if (SMALL_AREAS.has(name)) return 'small-areas';
    const firstPage = FIRST_PAGES[name];
    return firstPage && !firstPage.test(path) ? `${name}-more` : name;
  }
  if (path.includes('/src/routes/_app.tsx') || path.includes('/src/app/shell/Shell.tsx')) return 'frame';
  if (path.includes('/src/routes/_app/index.tsx')) return 'overview';
  if (path.includes('/src/routes/_app/')) return 'small-areas';
  if (/\/src\/(routes|app\/sign-in)\/(?!\w+Dialog)/.test(path)) return 'sign-in';
  if (path.includes('/src/ui/chart/')) return 'chart';
  if (path.includes('/src/ui/pdf/')) return 'pdf';
  if (path.includes('/src/ui/form/calendar/')) return 'calendar';
  // Packages for a second step at sign-in: passkeys and the picture of a one-time password.
  if (path.includes('/node_modules/')) return 'sign-in';
  return /\/src\/(app|ui)\//.test(path) ? 'overlays' : 'shared';
}

/** Needs of a root besides plain pages: popups (menus, dialogs, pickers), or forms and their validation too. */
type Needs = 'nothing' | 'popups' | 'forms';
const NEEDS: readonly Needs[] = ['nothing', 'popups', 'forms'];

const FORM_PACKAGES = /\/node_modules\/react-hook-form\/|\/zod\.gen\.ts$/;
const POPUP_PACKAGES = /\/node_modules\/react-aria/;

/** The roots that reach a module: their labels, and what each of them needs. */
interface Reached {
  labels: Set<string>;
  needs: Set<Needs>;
}

/** The chunk of a module that is reached so. Each condition on a layer also holds for what the module imports. */
function nameChunk({ labels, needs }: Reached): string {
  const areas = new Set([...labels].map((label) => label.replace(/-more$/, '')));
  if (labels.has('frame') || (labels.has('users') && labels.has('entries'))) return 'core';
  if (labels.has('start')) return 'start';
  const [area = 'shared', ...others] = areas;
  if (others.length === 0) return labels.has(area) ? area : `${area}-more`;
  if (labels.has('users')) return 'lists';
  // Tables are not part of the entries grid, which has rows of its own.
  if (labels.has('entries')) return 'grid';
  if (needs.has('nothing')) return 'shared';
  if (needs.has('popups')) return 'popups';
  return labels.has('sign-in') ? 'fields' : 'forms';
}

const ICONS = /lucide-react\/dist\/esm\/lucide-react\.mjs$/;
const ICON_IMPORT = /import\s*\{([^}]*)\}\s*from\s*["']lucide-react["']/g;
const ICON_EXPORT = /export \{([^}]*)\} from '\.(\/icons\/[\w-]+\.mjs)'/g;

/** Modules of icons by the names that the package exports. */
function readIcons({ id, code }: ModuleInfo): Map<string, string> {
  const folder = id.slice(0, id.lastIndexOf('/'));
  return new Map(
    [...(code ?? '').matchAll(ICON_EXPORT)].flatMap(([, names = '', path = '']) =>
      names.split(',').map((name) => [name.trim().replace(/^default as /, ''), folder + path] as const),
    ),
  );
}

/**
 * Imports of a module. The module that exports all icons stands for the icons that the importer names: otherwise every icon of the
 * console would be reached by each module that has an icon.
 */
function listImports({ code, importedIds }: ModuleInfo, icons: ReadonlyMap<string, string>): string[] {
  if (!importedIds.some((id) => ICONS.test(id))) return [...importedIds];
  const names = [...(code ?? '').matchAll(ICON_IMPORT)].flatMap(([, list = '']) => list.split(','));
  const used = names.flatMap((name) => icons.get(name.trim().split(/\s/)[0] ?? '') ?? []);
  return [...importedIds.filter((id) => !ICONS.test(id)), ...used];
}

/** The modules that a root imports, directly or through others, itself included. */
function listReached(
  root: string,
  modules: ReadonlyMap<string, ModuleInfo | null>,
  icons: ReadonlyMap<string, string>,
): Set<string> {
  const reached = new Set([root]);
  // Modules that are added while the set is walked are walked too.
  for (const id of reached) {
    const info = modules.get(id);
    if (info) for (const imported of listImports(info, icons)) reached.add(imported);
  }
  return reached;
}

function findNeeds(reached: ReadonlySet<string>): Needs {
  const ids = [...reached];
  if (ids.some((id) => FORM_PACKAGES.test(id))) return 'forms';
  return ids.some((id) => POPUP_PACKAGES.test(id)) ? 'popups' : 'nothing';
}

const leastNeeds = (roots: readonly { needs: Needs }[]): Needs =>
  NEEDS.find((needs) => roots.some((root) => root.needs === needs)) ?? 'forms';

/** The plugin computes the chunks when the graph is complete; `nameOf` names the chunk of a module. */
export function chunksByArea(): { plugin: Plugin; nameOf: (id: string) => string | null } {
  const reachedBy = new Map<string, Reached>();
  const plugin: Plugin = {
    name: 'chunks-by-area',
    apply: 'build',
    buildEnd() {
      reachedBy.clear();
      const modules = new Map([...this.getModuleIds()].map((id) => [id, this.getModuleInfo(id)]));
      const allIcons = [...modules.values()].find((info) => info && ICONS.test(info.id));
      const icons = allIcons ? readIcons(allIcons) : new Map<string, string>();
      const roots = new Set([...modules.values()].flatMap((info) => info?.dynamicallyImportedIds ?? []));
      const reach = [...roots].map((root) => {
        const reached = listReached(root, modules, icons);
        return { label: labelRoot(root), reached, needs: findNeeds(reached) };
      });
      for (const { label, reached, needs } of reach) {
        const least = FIRST_NEEDS[label] ?? leastNeeds(reach.filter((other) => other.label === label));
        const isFirst = NEEDS.indexOf(needs) <= NEEDS.indexOf(least);
        for (const id of reached) {
          const by = reachedBy.get(id) ?? { labels: new Set(), needs: new Set() };
          by.labels.add(isFirst ? label : `${label}-more`);
          by.needs.add(needs);
          reachedBy.set(id, by);
        }
      }
    },
  };
  return {
    plugin,
    nameOf: (id) => {
      // Validation is a chunk of its own: the grid checks values with it, and so do forms, but lists do not.
      if (id.includes('/node_modules/zod/')) return 'zod';
      const reached = reachedBy.get(id);
      return reached ? nameChunk(reached) : null;
    },
  };
}
