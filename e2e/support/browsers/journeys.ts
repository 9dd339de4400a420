/** The main journeys of the console: browser tests, by file, that Firefox runs too, with the walk over all pages. */
import { readFileSync } from 'node:fs';

const JOURNEYS: Readonly<Record<string, string>> = {
  'access/pages': 'sets up a second factor and turns an API key on and off on the profile',
  'app/first-start': 'the printed link creates the first administrator and signs in',
  'app/keyboard': 'finds, edits, creates and deactivates users without a mouse',
  'app/palette': 'restricting people to approved addresses shows who would have been locked out',
  'backups/backups': 'requests a backup, watches it, downloads and checks it, and records the download',
  'bulk/bulk': 'deactivates all matching users after a dry run, and undoing the job restores them',
  'entries/editing': 'edits, reviews, saves and undoes values by keyboard',
  'entries/entries': 'keeps the filter builder, the query, the chips and the URL in sync',
  'entries/new-type':
    'makes a type of a company list in few steps; a further file adds a field and choices to it',
  'invitations/invitations': 'invites for some days, accepts in another browser, extends',
  'licenses/licenses': 'changing a license in its row updates the tiles and the chart',
  'users/create': 'creates a user with a password who signs in with it',
  'users/edit': 'explains why somebody cannot sign in, and fixes it',
};
const EVERY_PAGE = 'app/pages';

const getFile = (name: string) => `${name}.test.ts`;

/** Whether a test of this title is a main journey. */
export const isMainJourney = (title: string): boolean => Object.values(JOURNEYS).includes(title);

/**
 * Pattern of the walk over all pages and the main journeys, for Playwright's `grep`.
 * @throws Error if a journey does not exist
 */
export function createBrowserPattern(): RegExp {
  for (const [name, title] of Object.entries(JOURNEYS)) {
    const source = readFileSync(new URL(`../../${getFile(name)}`, import.meta.url), 'utf8');
    if (!source.includes(`test('${title}'`)) throw new Error(`${getFile(name)} has no test "${title}"`);
  }
  const tests = Object.entries(JOURNEYS).map(([name, title]) => `${getFile(name)} ${title}`);
  return new RegExp(
    [`${getFile(EVERY_PAGE)} pages `, ...tests].map((one) => `^\\S* ?${RegExp.escape(one)}`).join('|'),
  );
}
