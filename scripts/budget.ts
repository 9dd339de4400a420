/** What the browser must load at first and for the list of users, gzipped, against its budget. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';

const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    isEntry: z.boolean().default(false),
    imports: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
  }),
);
type Manifest = z.infer<typeof Manifest>;

interface Weight {
  name: string;
  /** Gzipped KiB. */
  actual: number;
  /** Above it the build fails. */
  limit: number;
  /** What we want it to be. */
  goal: number;
}

/** The routes on the way to the list of users; their split parts load with it. */
const USERS_ROUTE =
  /^src\/routes\/(_app|_app\/(route|users(\/(_list\/)?(index|route))?))\.tsx\?tsr-split=(component|loader)/;

function reach(manifest: Manifest, from: readonly string[], seen = new Set<string>()): Set<string> {
  for (const key of from) {
    if (seen.has(key)) continue;
    seen.add(key);
    reach(manifest, manifest[key]?.imports ?? [], seen);
  }
  return seen;
}

/** The weights of the built console. */
export function weigh(dist = 'dist'): Weight[] {
  const path = join(dist, '.vite/manifest.json');
  if (!existsSync(path)) throw new Error('There is no build to weigh: run "npm run build" first');
  const manifest = Manifest.parse(JSON.parse(readFileSync(path, 'utf8')));
  const keys = Object.keys(manifest);
  const initial = reach(
    manifest,
    keys.filter((key) => manifest[key]?.isEntry),
  );
  const users = keys.filter((key) => USERS_ROUTE.test(key));
  if (!users.some((key) => key.includes('/users'))) throw new Error('The build has no list of users');
  const usersList = reach(manifest, users, new Set(initial));
  const weight = (chunks: Set<string>, pick: (chunk: Manifest[string]) => readonly string[]) => {
    const files = new Set([...chunks].flatMap((key) => (manifest[key] ? pick(manifest[key]) : [])));
    const bytes = [...files].map((file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length);
    return bytes.reduce((sum, one) => sum + one, 0) / 1024;
  };
  const scripts = (chunk: Manifest[string]) => [chunk.file];
  return [
    { name: 'JavaScript at first', actual: weight(initial, scripts), limit: 160, goal: 140 },
    {
      name: 'JavaScript of the users list in all',
      actual: weight(usersList, scripts),
      limit: 220,
      goal: 190,
    },
    {
      name: 'CSS of the users list',
      actual: weight(usersList, (chunk) => chunk.css),
      limit: 15,
      goal: 12,
    },
  ];
}

if (import.meta.main) {
  const weights = weigh();
  for (const { name, actual, limit, goal } of weights) {
    const verdict = actual > limit ? 'TOO HEAVY' : actual > goal ? 'above the goal' : 'within the goal';
    console.log(
      `${name.padEnd(38)}${actual.toFixed(1).padStart(7)} KiB  goal ${goal}  limit ${limit}  ${verdict}`,
    );
  }
  if (weights.some(({ actual, limit }) => actual > limit)) process.exitCode = 1;
}
