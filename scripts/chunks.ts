/**
 * Chunks of the console: one an area, and a shared core.
 *
 * The static import graph is cut at its lazy roots, the modules that `import()` names (parts of routes included). The
 * label of a root is its area. A module that roots of one label reach belongs to the chunk of that label; one that the
 * frame, or both the users list and the entries grid, share with other areas belongs to `core`, one that the users list
 * shares with areas other than the grid to `lists`, one that the grid shares without the users list to `grid`, any other
 * shared one to `shared`. So chunks import each other in one direction only: area, shared or grid, lists, core, first.
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
  'overview',
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

/** The label of a lazy root, from its path: its area, or the part of the frame that it belongs to. */
export function labelRoot(id: string): string {
  const path = id.replaceAll('\\', '/');
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
  if (path.includes('/src/routes/_app/')) return 'small-areas';
  if (/\/src\/(routes|app\/sign-in)\//.test(path)) return 'sign-in';
  if (path.includes('/src/ui/chart/')) return 'chart';
  if (path.includes('/src/ui/pdf/')) return 'pdf';
  if (path.includes('/src/ui/form/calendar/')) return 'calendar';
  return /\/src\/(app|ui)\//.test(path) ? 'overlays' : 'shared';
}

/** The chunk of a module that roots of these labels reach. */
export function nameChunk(labels: ReadonlySet<string>): string {
  const areas = new Set([...labels].map((label) => label.replace(/-more$/, '')));
  if (labels.has('frame')) return 'core';
  // Tables are not part of the entries grid, which has rows of its own.
  if (labels.has('users') && areas.size > 1) return labels.has('entries') ? 'core' : 'lists';
  const [area = 'shared', ...others] = areas;
  if (others.length > 0) return labels.has('entries') ? 'grid' : 'shared';
  return labels.has(area) ? area : `${area}-more`;
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

/** The plugin computes the chunks when the graph is complete; `nameOf` names the chunk of a module. */
export function chunksByArea(): { plugin: Plugin; nameOf: (id: string) => string | null } {
  const labels = new Map<string, Set<string>>();
  const plugin: Plugin = {
    name: 'chunks-by-area',
    apply: 'build',
    buildEnd() {
      labels.clear();
      const modules = new Map([...this.getModuleIds()].map((id) => [id, this.getModuleInfo(id)]));
      const allIcons = [...modules.values()].find((info) => info && ICONS.test(info.id));
      const icons = allIcons ? readIcons(allIcons) : new Map<string, string>();
      const roots = new Set([...modules.values()].flatMap((info) => info?.dynamicallyImportedIds ?? []));
      for (const root of roots) {
        const label = labelRoot(root);
        const queue = [root];
        for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
          const known = labels.get(id);
          if (known?.has(label)) continue;
          labels.set(id, (known ?? new Set()).add(label));
          const info = modules.get(id);
          if (info) queue.push(...listImports(info, icons));
        }
      }
    },
  };
  return {
    plugin,
    nameOf: (id) => {
      const reached = labels.get(id);
      return reached ? nameChunk(reached) : null;
    },
  };
}
