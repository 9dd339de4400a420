import type { QueryClient } from '@tanstack/react-query';
import { fold } from '../lib/fold.ts';
import type { PaletteItem } from '../shell/palette/registry.ts';
import { directoryQuery } from './directory.ts';
import type { Filters } from './facets.ts';
import { searchDirectory } from './search.ts';

const EVERYBODY: Filters = { status: [], license: [], group: [], twoFactor: [], addresses: [], changed: [] };
const BY_NAME = { by: 'name', descending: false } as const;
const MOST = 8;

/** People of the site for the palette, by name, e-mail or id; those whose name begins so come first. */
export async function findPeople(
  client: QueryClient,
  typed: string,
  open: (userId: number) => void,
): Promise<PaletteItem[]> {
  const { rows } = await client.fetchQuery(directoryQuery);
  const found = searchDirectory(rows, { q: typed, filters: EVERYBODY, sort: BY_NAME }).rows;
  const begin = fold(typed.trim());
  const best = [
    ...found.filter(({ foldedName }) => foldedName.startsWith(begin)).slice(0, MOST),
    ...found.filter(({ foldedName }) => !foldedName.startsWith(begin)).slice(0, MOST),
  ];
  return best
    .slice(0, MOST)
    .map(({ id, name, email }) => ({ label: name, hint: email, run: () => open(id) }));
}
