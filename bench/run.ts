/**
 * `npm run bench [name…]`: measures and prints the ratios; what is measured stands in the list below.
 * `npm run bench -- directory --users 1000000` chooses how many people there are, `npm run bench -- grid --entries
 * 100000` how many entries. What is printed is a table of Markdown.
 */
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { activity } from './activity.ts';
import { backups } from './backups.ts';
import type { Bench, Measure } from './bench.ts';
import { bundle } from './bundle.ts';
import { csv } from './csv.ts';
import { directory } from './directory.ts';
import { directus } from './directus.ts';
import { entries, entriesEmbedded, entriesLoad } from './entries.ts';
import { grid, gridEmbedded } from './grid.ts';
import { http } from './http.ts';
import { start } from './start.ts';

const BENCHES: readonly Bench[] = [
  start,
  bundle,
  http,
  csv,
  directory,
  activity,
  entriesLoad,
  entries,
  entriesEmbedded,
  grid,
  gridEmbedded,
  directus,
  backups,
];

const number = (value: number, unit: string) =>
  `${value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 })}${unit && ` ${unit}`}`;

function line({ name, ours, floor, unit, limit, least }: Measure): string {
  const beside = floor === undefined ? '' : number(floor, unit);
  const ratio = floor ? `${(ours / floor).toFixed(2)} ×` : '';
  const bounds = [
    limit !== undefined && number(limit, unit) + (ours > limit ? ' – missed' : ''),
    least !== undefined && `from ${number(least, unit)}${ours < least ? ' – missed' : ''}`,
  ];
  const asked = bounds.filter((bound) => bound !== false).join(', ');
  return `| ${[name.trim(), number(ours, unit), beside, ratio, asked].join(' | ')} |`;
}

/** A whole number above zero that was said behind `--name`. */
function counted(name: 'users' | 'entries', said: string | undefined): { [name]?: number } {
  if (said === undefined) return {};
  const value = Number(said);
  if (!(Number.isInteger(value) && value > 0)) throw new Error(`--${name}: a whole number`);
  return { [name]: value };
}

const { values, positionals } = parseArgs({
  options: { users: { type: 'string' }, entries: { type: 'string' } },
  allowPositionals: true,
});
const options = { ...counted('users', values.users), ...counted('entries', values.entries) };
const wanted = positionals.map((name) => name.toLowerCase());
/** Benches whose names begin so; where none does, those in whose names it stands. */
function called(part: string): readonly Bench[] {
  const begin = BENCHES.filter(({ name }) => name.toLowerCase().startsWith(part));
  return begin.length > 0 ? begin : BENCHES.filter(({ name }) => name.toLowerCase().includes(part));
}

const named = new Set(wanted.flatMap(called));
const chosen = BENCHES.filter((bench) => wanted.length === 0 || named.has(bench));
const GB = 1024 ** 3;
console.log(
  `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${number(totalmem() / GB, 'GB')}`,
);
for (const bench of chosen) {
  const reason = bench.whyNot?.();
  if (reason !== undefined) {
    console.log(`\n## ${bench.name}\n\nNot measured: ${reason}.`);
    continue;
  }
  const notes: string[] = [];
  const started = loadavg()[0] ?? 0;
  console.log(
    `\n## ${bench.name}\n\n| | ours | ${bench.beside ?? 'floor'} | ratio | asked |\n|---|---|---|---|---|`,
  );
  try {
    for (const measure of await bench.run({ ...options, note: (text) => notes.push(text) }))
      console.log(line(measure));
    notes.push(`Load average ${number(started, '')} before, ${number(loadavg()[0] ?? 0, '')} after.`);
    console.log(`\n${notes.join(' ')}`);
  } catch (error) {
    console.log(`  failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
// A database of our own keeps this process alive as it lives no longer than this does.
process.exit();
